extension OptionTable {
  /// The unsupported curl options, each with an alternative or a reason.
  static let missing: [CommandOption] = reasons.flatMap { reason, names in
    names.split(separator: " ").map { name in
      let parts = name.split(separator: "/")
      return CommandOption(
        name: String(parts[0]), letter: parts.count == 2 ? parts[1].first : nil, help: reason, action: .unsupported(reason))
    }
  }

  /// The names by reason. A slash precedes the letter of a name.
  private static let reasons: KeyValuePairs = [
    "faraday speaks HTTP only; use curl for FTP":
      "append/a list-only/l quote/Q ftp-port/P disable-eprt disable-epsv ftp-account ftp-alternative-to-user ftp-create-dirs "
      + "ftp-method ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control krb use-ascii/B crlf "
      + "create-file-mode",
    "use an https URL, or --proto =https": "ssl ssl-reqd",
    "faraday speaks HTTP only; use curl for mail":
      "mail-auth mail-from mail-rcpt mail-rcpt-allowfails login-options sasl-authzid sasl-ir",
    "faraday speaks HTTP only; use scp or sftp": "compressed-ssh hostpubmd5 hostpubsha256 pubkey",
    "faraday speaks HTTP only; use telnet": "telnet-option/t",
    "faraday speaks HTTP only; use tftp": "tftp-blksize tftp-no-options",
    "SSL 2 is broken; use --tlsv1.2": "sslv2/2",
    "SSL 3 is broken; use --tlsv1.2": "sslv3/3",
    "it weakens TLS 1.0; use --tlsv1.2": "ssl-allow-beast proxy-ssl-allow-beast",
    "it is for Schannel on Windows only":
      "ssl-auto-client-cert proxy-ssl-auto-client-cert ssl-no-revoke ssl-revoke-best-effort",
    "NPN is obsolete; use --no-alpn for HTTP/1.1 without negotiation": "npn",
    "TLS-SRP ended with TLS 1.2; use -u or --cert":
      "tlsauthtype tlsuser tlspassword proxy-tlsauthtype proxy-tlsuser proxy-tlspassword",
    "it has no effect since OpenSSL 1.1; leave it out": "egd-file random-file",
    "use --ntlm with a user and password": "ntlm-wb",
    "names in forms are percent-encoded, as browsers do": "form-escape",
    "curl has dropped it too; use the URLs of the file": "metalink",
    "use Request.curlCommand of the Faraday package, or curl": "libcurl",
    "use --help": "manual/M",
    "use -w '%{url_effective}' and setfattr": "xattr",
    "use --http3": "http3-only",
    "use a PEM, DER or PKCS#12 file": "engine",
    "a body that is shorter or longer than it says is an error; use curl": "ignore-content-length",
    "chunks are always decoded; use --trace to see them": "raw",
    "use --compressed": "tr-encoding",
    "use the shell's 2>file": "stderr",
    "use a loop of the shell with sleep": "rate",
    "use -x, which speaks HTTP/1.1": "proxy1.0",
    "a key has the encoding of its certificate; use --cert-type": "key-type proxy-key-type",
    "use CurlAdapter.Configuration.unsafeCustomize of the Faraday package, or curl":
      "cert-status false-start curves tcp-fastopen haproxy-protocol doh-insecure doh-cert-status dns-interface dns-ipv4-addr "
      + "dns-ipv6-addr preproxy socks5-gssapi socks5-gssapi-nec socks5-gssapi-service proxy-service-name service-name delegation",
  ]
}
