extension OptionTable {
  /// The options of curl's that are not supported, with what to use instead or why.
  static let missing: [CommandOption] = [
    .missing("append", "a", ftp), .missing("list-only", "l", ftp), .missing("quote", "Q", ftp), .missing("ftp-port", "P", ftp),
    .missing("disable-eprt", ftp), .missing("disable-epsv", ftp), .missing("ftp-account", ftp),
    .missing("ftp-alternative-to-user", ftp), .missing("ftp-create-dirs", ftp), .missing("ftp-method", ftp),
    .missing("ftp-pasv", ftp), .missing("ftp-pret", ftp), .missing("ftp-skip-pasv-ip", ftp), .missing("ftp-ssl-ccc", ftp),
    .missing("ftp-ssl-ccc-mode", ftp), .missing("ftp-ssl-control", ftp), .missing("krb", ftp), .missing("use-ascii", "B", ftp),
    .missing("crlf", ftp), .missing("create-file-mode", ftp), .missing("ssl", https), .missing("ssl-reqd", https),
    .missing("mail-auth", mail), .missing("mail-from", mail), .missing("mail-rcpt", mail),
    .missing("mail-rcpt-allowfails", mail), .missing("login-options", mail), .missing("sasl-authzid", mail),
    .missing("sasl-ir", mail), .missing("compressed-ssh", ssh), .missing("hostpubmd5", ssh), .missing("hostpubsha256", ssh),
    .missing("pubkey", ssh), .missing("telnet-option", "t", "faraday speaks HTTP only; use telnet"),
    .missing("tftp-blksize", tftp), .missing("tftp-no-options", tftp),
    .missing("sslv2", "2", "SSL 2 is broken; use --tlsv1.2"), .missing("sslv3", "3", "SSL 3 is broken; use --tlsv1.2"),
    .missing("ssl-allow-beast", "it weakens TLS 1.0; use --tlsv1.2"),
    .missing("proxy-ssl-allow-beast", "it weakens TLS 1.0; use a newer proxy"),
    .missing("ssl-auto-client-cert", schannel), .missing("proxy-ssl-auto-client-cert", schannel),
    .missing("ssl-no-revoke", schannel), .missing("ssl-revoke-best-effort", schannel),
    .missing("npn", "NPN is obsolete; use --no-alpn for HTTP/1.1 without negotiation"),
    .missing("tlsauthtype", srp), .missing("tlsuser", srp), .missing("tlspassword", srp), .missing("proxy-tlsauthtype", srp),
    .missing("proxy-tlsuser", srp), .missing("proxy-tlspassword", srp),
    .missing("egd-file", random), .missing("random-file", random),
    .missing("ntlm-wb", "use --ntlm with a user and password"),
    .missing("form-escape", "names in forms are percent-encoded, as browsers do"),
    .missing("metalink", "curl has dropped it too; use the URLs of the file"),
    .missing("libcurl", "use Request.curlCommand of the Faraday package, or curl"),
    .missing("manual", "M", "use --help"), .missing("xattr", "use -w '%{url_effective}' and setfattr"),
    .missing("http3-only", "use --http3"), .missing("engine", "use a PEM, DER or PKCS#12 file"),
    .missing("ignore-content-length", "a body that is shorter or longer than it says is an error; use curl"),
    .missing("raw", "chunks are always decoded; use --trace to see them"),

  ]

  private static let ftp = "faraday speaks HTTP only; use curl for FTP"
  private static let https = "use an https URL, or --proto =https"
  private static let mail = "faraday speaks HTTP only; use curl for mail"
  private static let ssh = "faraday speaks HTTP only; use scp or sftp"
  private static let tftp = "faraday speaks HTTP only; use tftp"
  private static let schannel = "it is for Schannel on Windows only"
  private static let srp = "TLS-SRP ended with TLS 1.2; use -u or --cert"
  private static let random = "it has no effect since OpenSSL 1.1; leave it out"
}

extension CommandOption {
  fileprivate static func missing(_ name: String, _ instead: String) -> CommandOption { .missing(name, nil, instead) }
}
