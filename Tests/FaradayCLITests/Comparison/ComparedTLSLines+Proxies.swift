/// The lines about TLS to a proxy: mostly a server that handles the request itself and responds with its properties.
extension ComparedLine {
  /// A line with a proxy that gets requests for any host.
  private static func through(_ status: Int32, _ options: String, shows text: String? = nil) -> ComparedLine {
    .ends(status, "curl -sS \(options) http://host.example/x", shows: text)
  }

  static let tlsProxies = proxyAuthorities + proxyHandshakes + proxyCertificates

  private static let proxyAuthorities: [ComparedLine] = [
    .through(0, "--proxy-cacert $CA -x $VALID_URL", shows: "host=host.example"),
    .through(60, "-x $VALID_URL"),
    .through(60, "--cacert $CA -x $VALID_URL"),
    .ends(60, "curl -sSk -x $VALID_URL http://host.example/x"),
    .through(60, "--proxy-cacert $OTHER_CA -x $VALID_URL"),
    .through(0, "--proxy-capath $CA_FOLDER -x $VALID_URL"),
    .ends(60, "mkdir none; curl -sS --proxy-capath none -x $VALID_URL http://host.example/x"),
    .through(0, "--proxy-insecure -x $SELFSIGNED_URL"),
    .through(60, "--proxy-cacert $CA -x $OTHERNAME_URL"),
    .through(0, "--proxy-cacert $CA -x $REVOKED_URL"),
    .through(60, "--proxy-cacert $CA --proxy-crlfile $CRL -x $REVOKED_URL"),
    .through(0, "--proxy-cacert $CA --proxy-crlfile $CRL -x $VALID_URL"),
    .through(0, "--proxy-insecure --proxy-pinnedpubkey $PIN -x $VALID_URL"),
    .through(0, "--proxy-insecure --pinnedpubkey $OTHER_PIN -x $VALID_URL"),
    .ends(0, "curl -sS --proxy-cacert $SQUID_CA -x $SQUID_TLS_URL $URL/hello", shows: "Via: 1.1 squid.test"),
    .ends(0, "curl -sS --proxy-cacert $SQUID_CA --cacert $CA -x $SQUID_TLS_URL --http1.1 $VALID_URL", shows: "name=localhost"),
    .ends(60, "curl -sS --proxy-cacert $CA --cacert $CA -x $SQUID_TLS_URL --http1.1 $VALID_URL"),
    .ends(0, "curl -sS --proxy-insecure --cacert $CA -x $SQUID_TLS_URL --http1.1 $VALID_URL"),
    .ends(90, "curl -sSk --proxy-insecure --pinnedpubkey $OTHER_PIN -x $SQUID_TLS_URL --http1.1 $VALID_URL"),
  ]

  private static let proxyHandshakes: [ComparedLine] = [
    .through(0, "--proxy-insecure --proxy-tlsv1 --proxy-ciphers ALL:@SECLEVEL=0 -x $TLS11_URL", shows: "protocol=TLSv1.1"),
    .through(35, "--proxy-insecure --tlsv1.0 --ciphers ALL:@SECLEVEL=0 -x $TLS11_URL 2>/dev/null"),
    .through(0, "--proxy-insecure --tlsv1.3 --tls-max 1.3 -x $TLS12_URL", shows: "protocol=TLSv1.2"),
    .through(
      0, "--proxy-insecure --proxy-ciphers ECDHE-ECDSA-AES128-GCM-SHA256 -x $TLS12_URL",
      shows: "cipher=ECDHE-ECDSA-AES128-GCM-SHA256"),
    .through(59, "--proxy-insecure --proxy-ciphers nonsense -x $TLS12_URL"),
    .through(
      0, "--proxy-insecure --proxy-tls13-ciphers TLS_CHACHA20_POLY1305_SHA256 -x $TLS13_URL",
      shows: "cipher=TLS_CHACHA20_POLY1305_SHA256"),
    .through(59, "--proxy-insecure --proxy-tls13-ciphers nonsense -x $TLS13_URL"),
  ]

  private static let proxyCertificates: [ComparedLine] = [
    .through(0, "--proxy-insecure -o out -w '%{http_code}' -x $CLIENTCERTIFICATE_URL", shows: "400"),
    .through(0, "--proxy-insecure --proxy-cert $CERT --proxy-key $KEY -x $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .through(0, "--proxy-insecure -E $CERT --key $KEY -o out -w '%{http_code}' -x $CLIENTCERTIFICATE_URL", shows: "400"),
    .through(
      0, "--proxy-insecure --proxy-cert $CERT --proxy-key $ENCRYPTED_KEY --proxy-pass $PASSWORD -x $CLIENTCERTIFICATE_URL",
      shows: "subject=CN=client"),
    .through(58, "--proxy-insecure --proxy-cert $CERT --proxy-key $ENCRYPTED_KEY --proxy-pass wrong -x $CLIENTCERTIFICATE_URL"),
    .through(0, "--proxy-insecure --proxy-cert $BOTH_ENCRYPTED:$PASSWORD -x $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .through(
      0, "--proxy-insecure --proxy-cert-type P12 --proxy-cert $P12:$PASSWORD -x $CLIENTCERTIFICATE_URL",
      shows: "subject=CN=client"),
    .through(58, "--proxy-insecure --proxy-cert ./missing -x $CLIENTCERTIFICATE_URL"),
  ]
}
