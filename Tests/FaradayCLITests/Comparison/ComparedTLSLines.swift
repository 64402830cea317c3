/// The lines about TLS to a server and to an https proxy. The servers respond with the properties of the connection.
extension ComparedLine {
  /// A line with HTTP/1.1, which faraday prefers with this libcurl by default.
  private static func secure(_ status: Int32, _ arguments: String, shows text: String? = nil) -> ComparedLine {
    .ends(status, "curl -sS --http1.1 " + arguments, shows: text)
  }

  static let tls = authorities + pins + versions + ciphers + handshakes + clientCertificates

  private static let authorities: [ComparedLine] = [
    .secure(0, "--cacert $CA $VALID_URL", shows: "name=localhost"),
    .secure(60, "$VALID_URL"),
    .secure(60, "--cacert $OTHER_CA $VALID_URL"),
    .secure(77, "--cacert missing $VALID_URL"),
    .secure(77, "--cacert text $VALID_URL"),
    .secure(0, "--capath $CA_FOLDER $VALID_URL"),
    .secure(0, "--cacert $OTHER_CA --capath $CA_FOLDER $VALID_URL"),
    .ends(60, "mkdir none; curl -sS --http1.1 --capath none $VALID_URL"),
    .secure(60, "--cacert $CA $EXPIRED_URL", shows: "certificate has expired"),
    .secure(0, "-k $EXPIRED_URL"),
    .secure(60, "-k --no-insecure --cacert $CA $EXPIRED_URL"),
    .secure(60, "--cacert $CA $OTHERNAME_URL", shows: "no alternative certificate subject name matches"),
    .secure(0, "-k $OTHERNAME_URL"),
    .secure(60, "--cacert $CA $SELFSIGNED_URL", shows: "self-signed certificate"),
    .secure(0, "--cacert $CA $CHAIN_URL"),
    .secure(60, "--cacert $CA $INCOMPLETECHAIN_URL", shows: "unable to get local issuer certificate"),
    .secure(0, "--cacert $CA $REVOKED_URL"),
    .secure(60, "--cacert $CA --crlfile $CRL $REVOKED_URL", shows: "certificate revoked"),
    .secure(0, "--cacert $CA --crlfile $CRL $VALID_URL"),
    .secure(0, "--cacert $CA --crlfile $CRL $CHAIN_URL"),
    .secure(82, "--cacert $CA --crlfile /missing $VALID_URL"),
    .ends(0, "CURL_CA_BUNDLE=$CA curl -sS --http1.1 $VALID_URL", shows: "name=localhost"),
    .ends(0, "SSL_CERT_FILE=$CA curl -sS --http1.1 $VALID_URL", shows: "name=localhost"),
    .ends(0, "SSL_CERT_DIR=$CA_FOLDER curl -sS --http1.1 $VALID_URL", shows: "name=localhost"),
    .ends(60, "CURL_CA_BUNDLE=$CA curl -sS --http1.1 --cacert $OTHER_CA $VALID_URL"),
    .ends(60, "CURL_CA_BUNDLE=$OTHER_CA SSL_CERT_FILE=$CA curl -sS --http1.1 $VALID_URL"),
    .ends(0, "CURL_CA_BUNDLE=/missing curl -sSk --http1.1 $VALID_URL", shows: "name=localhost"),
  ]

  private static let pins: [ComparedLine] = [
    .secure(0, "--cacert $CA --pinnedpubkey $PIN $VALID_URL"),
    .secure(90, "--cacert $CA --pinnedpubkey $OTHER_PIN $VALID_URL"),
    .secure(0, "--cacert $CA --pinnedpubkey \"$OTHER_PIN;$PIN\" $VALID_URL"),
    .secure(90, "-k --pinnedpubkey $OTHER_PIN $SELFSIGNED_URL"),
    .secure(0, "-k --pinnedpubkey $PIN $SELFSIGNED_URL"),
    .secure(60, "--pinnedpubkey $PIN $SELFSIGNED_URL"),
  ]

  private static let versions: [ComparedLine] = [
    .secure(0, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.1 $TLS11_URL", shows: "protocol=TLSv1.1"),
    .secure(0, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.0 $TLS11_URL", shows: "protocol=TLSv1.1"),
    .secure(0, "-k --ciphers ALL:@SECLEVEL=0 -1 $TLS11_URL", shows: "protocol=TLSv1.1"),
    .secure(35, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.2 $TLS11_URL"),
    .secure(35, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.0 --tlsv1.2 $TLS11_URL"),
    .secure(35, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.0 --tls-max 1.0 $TLS11_URL"),
    .secure(0, "-k --ciphers ALL:@SECLEVEL=0 --tlsv1.0 --tls-max 1.1 $TLS11_URL", shows: "protocol=TLSv1.1"),
    .secure(35, "-k --tls-max 1.1 $VALID_URL"),
    .secure(0, "-k --tls-max 1.2 $VALID_URL", shows: "protocol=TLSv1.2"),
    .secure(0, "-k --tls-max 1.3 $VALID_URL", shows: "protocol=TLSv1.3"),
    .secure(0, "-k --tls-max default $VALID_URL", shows: "protocol=TLSv1.3"),
    .secure(35, "-k --tls-max 1.2 $TLS13_URL"),
    .secure(0, "-k --tlsv1.3 $TLS13_URL", shows: "protocol=TLSv1.3"),
    .secure(35, "-k --tlsv1.3 $TLS12_URL"),
    .secure(0, "-k --tlsv1.2 $TLS12_URL", shows: "protocol=TLSv1.2"),
    .secure(2, "-k --tls-max 1.4 $VALID_URL"),
  ]

  private static let ciphers: [ComparedLine] = [
    .secure(0, "-k --ciphers ECDHE-ECDSA-AES128-GCM-SHA256 $TLS12_URL", shows: "cipher=ECDHE-ECDSA-AES128-GCM-SHA256"),
    .secure(0, "-k --ciphers ECDHE-ECDSA-CHACHA20-POLY1305 $TLS12_URL", shows: "cipher=ECDHE-ECDSA-CHACHA20-POLY1305"),
    .secure(35, "-k --ciphers ECDHE-RSA-AES128-GCM-SHA256 $TLS12_URL"),
    .secure(59, "-k --ciphers nonsense $TLS12_URL"),
    .secure(0, "-k --tls13-ciphers TLS_CHACHA20_POLY1305_SHA256 $TLS13_URL", shows: "cipher=TLS_CHACHA20_POLY1305_SHA256"),
    .secure(0, "-k --tls13-ciphers TLS_AES_128_GCM_SHA256 $TLS13_URL", shows: "cipher=TLS_AES_128_GCM_SHA256"),
    .secure(59, "-k --tls13-ciphers nonsense $TLS13_URL"),
  ]

  private static let handshakes: [ComparedLine] = [
    .secure(0, "-k $VALID_URL", shows: "alpn=http/1.1\n"),
    .secure(0, "-k --no-alpn $VALID_URL", shows: "alpn=\n"),
    .secure(0, "-k -0 $VALID_URL", shows: "http=HTTP/1.0"),
    .secure(0, "-k --tls-max 1.2 -H 'Connection: close' $VALID_URL $VALID_URL", shows: "reused=r"),
    .secure(0, "-k --no-sessionid --tls-max 1.2 -H 'Connection: close' $VALID_URL $VALID_URL", shows: "reused=."),
    .secure(0, "-k -H 'Connection: close' $TLS13_URL $TLS13_URL", shows: "reused=r"),
    .secure(0, "-k --no-sessionid -H 'Connection: close' $TLS13_URL $TLS13_URL", shows: "reused=."),
    .secure(0, "--cacert $CA --connect-to other.test:443:127.0.0.1:$OTHERNAME https://other.test/", shows: "name=other.test"),
    .secure(0, "--cacert $CA --resolve other.test:$OTHERNAME:127.0.0.1 https://other.test:$OTHERNAME/", shows: "name=other.test"),
    .secure(60, "--cacert $CA --resolve third.test:$OTHERNAME:127.0.0.1 https://third.test:$OTHERNAME/"),
  ]

  private static let clientCertificates: [ComparedLine] = [
    .secure(0, "-k -o out -w '%{http_code}' $CLIENTCERTIFICATE_URL", shows: "400"),
    .secure(0, "-k --cert $CERT --key $KEY $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(0, "-k -E $BOTH $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(0, "-k -E $CERT --key $ENCRYPTED_KEY --pass $PASSWORD $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(58, "-k -E $CERT --key $ENCRYPTED_KEY --pass wrong $CLIENTCERTIFICATE_URL"),
    .secure(0, "-k -E $BOTH_ENCRYPTED:$PASSWORD $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(58, "-k -E $BOTH_ENCRYPTED:wrong $CLIENTCERTIFICATE_URL"),
    .ends(
      0, "cp $BOTH_ENCRYPTED 'a:b'; curl -sSk --http1.1 -E 'a\\:b':$PASSWORD $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .ends(0, "cp $BOTH both; curl -sSk --http1.1 -E both $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(0, "-k --cert-type P12 -E $P12:$PASSWORD $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(0, "-k --cert-type P12 -E $P12 --pass $PASSWORD $CLIENTCERTIFICATE_URL", shows: "subject=CN=client"),
    .secure(58, "-k --cert-type P12 -E $P12:wrong $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k --cert-type P12 -E $BOTH $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k -E $P12:$PASSWORD $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k -E ./missing $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k -E $CERT --key ./missing $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k -E $CERT --key $STRANGER_KEY $CLIENTCERTIFICATE_URL"),
    .secure(58, "-k -E $CERT $CLIENTCERTIFICATE_URL"),
    .secure(22, "-fk -E $STRANGER --key $STRANGER_KEY $CLIENTCERTIFICATE_URL"),
  ]
}
