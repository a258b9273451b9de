#!/bin/bash
# Keys, a certificate, encryption, and TLS over loopback.
set -euo pipefail
cd "$(mktemp -d)"
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 1 -subj /CN=localhost 2>/dev/null
openssl verify -CAfile cert cert
echo secret | openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -out sealed
openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:x -in sealed
echo text >text
openssl dgst -sha256 -sign key -out signature text
openssl dgst -sha256 -verify <(openssl x509 -in cert -noout -pubkey) -signature signature text
openssl s_server -accept 127.0.0.1:4433 -cert cert -key key -quiet -www >log 2>&1 &
server=$!
for _ in $(seq 100); do
  if openssl s_client -connect 127.0.0.1:4433 -CAfile cert </dev/null >client 2>/dev/null; then break; fi
  sleep 0.05
done
grep -o 'Verify return code: 0 (ok)' client | head -1
kill "$server"
