#!/bin/sh
# Makes what compose.yaml needs and is not there yet: passwords, a secret for tokens, and a certificate to try it with.
set -eu
umask 077
host=${1:?the name by which pages and agents reach the hubs, such as hub.example.com}
cd "$(dirname "$0")"
mkdir -p secrets tls

# The letter before it, because NATS would read digits as a number.
random() { echo "p$(openssl rand -hex 24)"; }

if [ ! -e .env ]; then
  printf 'PUBLIC_HOST=%s\nPOSTGRES_PASSWORD=%s\nNATS_PASSWORD=%s\n' "$host" "$(random)" "$(random)" > .env
fi
[ -e secrets/jwt-secret ] || random > secrets/jwt-secret
case $host in
  *[!0-9.]*) name=DNS:$host ;;
  *) name=IP:$host ;;
esac
if [ ! -e tls/hub.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=$host" \
    -addext "subjectAltName=$name" -keyout tls/hub.key -out tls/hub.pem 2> /dev/null
  echo "tls/hub.pem is self-signed: put your certificate and its key in the place of tls/hub.pem and tls/hub.key."
fi
# The hubs run as user 1000 of the container, and read a secret that is theirs alone.
if [ "$(id -u)" = 0 ]; then chown 1000 secrets/jwt-secret
elif [ "$(id -u)" != 1000 ]; then echo "Run: sudo chown 1000 secrets/jwt-secret"
fi
