import Faraday

extension OptionTable {
  /// The options for the request.
  static let request: [CommandOption] = [
    .value("url", nil, "url", "A URL to transfer, as without an option") { $0.add(url: $1) },
    .value("request", "X", "method", "The request method") { $0.method = $1.isEmpty ? nil : $1 },
    .value("header", "H", "header/@file", "Add a header: 'Name: value'; 'Name;' sends it empty, 'Name:' removes a default") {
      $0.headers.append($1)
    },
    .value("user-agent", "A", "name", "The User-Agent header; empty for none") { $0.agent = $1 },
    .value("referer", "e", "url", "The Referer header; with ';auto' that of redirects is the URL before") {
      let isAutomatic = $1.hasSuffix(";auto")
      $0.automaticReferer = isAutomatic
      let url = isAutomatic ? String($1.dropLast(5)) : $1
      $0.referer = url.isEmpty ? nil : url
    },
    .value("data", "d", "data", "POST these data; repeated ones are joined by &, @file is read without line breaks") {
      $0.data.append(DataArgument(.ascii, $1))
    },
    .value("data-ascii", nil, "data", "The same as --data") { $0.data.append(DataArgument(.ascii, $1)) },
    .value("data-binary", nil, "data", "Like --data, but files keep their line breaks") {
      $0.data.append(DataArgument(.binary, $1))
    },
    .value("data-raw", nil, "data", "Like --data, but @ has no special meaning") { $0.data.append(DataArgument(.raw, $1)) },
    .value("data-urlencode", nil, "data", "Like --data, percent-encoded: text, name=text, @file or name@file") {
      $0.data.append(DataArgument(.encoded, $1))
    },
    .value("json", nil, "data", "POST these data as JSON, with the headers for it") {
      $0.data.append(DataArgument(.json, $1))
      $0.isJSON = true
    },
    .value("url-query", nil, "data", "Add a part to the URL's query, encoded as with --data-urlencode; +text is not encoded") {
      $0.urlQuery.append(DataArgument($1.hasPrefix("+") ? .afterPlus : .encoded, $1))
    },
    .flag("get", "G", "Put the data in the URL's query, and GET it") { $0.dataInURL = $1 },
    .value("form", "F", "name=content", "POST a multipart form; @file uploads a file, <file reads one") {
      try $0.add(try FormArgument($1))
    },
    .value("form-string", nil, "name=string", "Like --form, without special characters") {
      try $0.add(try FormArgument($1, isLiteral: true))
    },
    .value("upload-file", "T", "file", "PUT the file, streamed; - is standard input") { $0.add(upload: $1) },
    .flag("head", "I", "Send a HEAD request and show the header") {
      $0.head = $1
      $0.include = $1
      try $0.choose($1 ? .head : .get)
    },
    .value("range", "r", "range", "Only these bytes: 0-499, 500-, -500") { $0.range = $1 },
    .value("continue-at", "C", "offset", "Go on with a transfer at this byte; - is where the file ends") {
      $0.resume = $1 == "-" ? .automatic : .at(Int64(try NumberArgument.integer($1)))
    },
    .value("time-cond", "z", "time", "Only what has changed since this time, or that of this file; -time: not since") {
      $0.timeCondition = $1
    },
    .value("etag-compare", nil, "file", "Only what differs from the ETag in this file") { $0.etagCompare = $1 },
    .value("etag-save", nil, "file", "Save the ETag of the response in this file") { $0.etagSave = $1 },
    .value("cookie", "b", "data|file", "Send cookies: 'name=value', or those of a file") { $0.cookies.append($1) },
    .value("cookie-jar", "c", "file", "Write all cookies to this file at the end; - is standard output") { $0.cookieJar = $1 },
    .flag("junk-session-cookies", "j", "Ignore the session cookies of the files") { $0.dropsSessionCookies = $1 },
    .flag("compressed", nil, "Request a compressed response, and decode it") { $0.compressed = $1 },
    .value("request-target", nil, "path", "The request target, instead of the URL's path and query") { $0.requestTarget = $1 },
    .flag("path-as-is", nil, "Keep /./ and /../ in the URL") { $0.pathAsIs = $1 },
    .flag("globoff", "g", "Do not expand {} and [] in URLs") { $0.globs = !$1 },
    .value("proto", nil, "protocols", "The schemes that may be used: =https, -http") {
      $0.warnings += $0.protocols.apply($1).map { "unrecognized protocol '\($0)'" }
    },
    .value("proto-redir", nil, "protocols", "The schemes that redirects may lead to") {
      $0.warnings += $0.redirectProtocols.apply($1).map { "unrecognized protocol '\($0)'" }
    },
    .value("proto-default", nil, "protocol", "The scheme of URLs that have none") { $0.defaultProtocol = $1 },
    .flag("disallow-username-in-url", nil, "Refuse URLs with a user name") { $0.refusesUserInURL = $1 },
  ]

  /// The options for redirects and retries.
  static let repetition: [CommandOption] = [
    .flag("location", "L", "Follow redirects") { $0.location = $1 },
    .flag("location-trusted", nil, "Follow redirects, and send credentials to other hosts too") {
      $0.location = $1
      $0.trustsRedirects = $1
    },
    .value("max-redirs", nil, "number", "The maximum number of redirects: 50; -1 is no limit") {
      $0.maxRedirects = try NumberArgument.integer($1, in: -1...Int.max)
    },
    .flag("post301", nil, "Keep POST after a 301") { $0.keepsPost.turn(301, $1) },
    .flag("post302", nil, "Keep POST after a 302") { $0.keepsPost.turn(302, $1) },
    .flag("post303", nil, "Keep POST after a 303") { $0.keepsPost.turn(303, $1) },
    .value("retry", nil, "number", "Retry so often after a transient error") { $0.retries = try NumberArgument.integer($1) },
    .value("retry-delay", nil, "seconds", "The time between retries; by default it doubles from 1 s to 10 min") {
      let seconds = try NumberArgument.count($1)
      $0.retryDelay = seconds == 0 ? nil : .seconds(seconds)
    },
    .value("retry-max-time", nil, "seconds", "The time after which there are no more retries") {
      let seconds = try NumberArgument.count($1)
      $0.retryLimit = seconds == 0 ? nil : .seconds(seconds)
    },
    .flag("retry-connrefused", nil, "Retry if the connection is refused too") { $0.retriesRefused = $1 },
    .flag("retry-all-errors", nil, "Retry after every error") { $0.retriesAll = $1 },
  ]

  /// The options for authentication.
  static let authentication: [CommandOption] = [
    .value("user", "u", "user:password", "The user and password") { $0.user = $1 },
    .flag("basic", nil, "Authenticate with Basic") { $0.schemes.turn(.basic, $1) },
    .flag("digest", nil, "Authenticate with Digest") { $0.schemes.turn(.digest, $1) },
    .flag("ntlm", nil, "Authenticate with NTLM") { $0.schemes.turn(.ntlm, $1) },
    .flag("negotiate", nil, "Authenticate with Negotiate (SPNEGO)") { $0.schemes.turn(.negotiate, $1) },
    .flag("anyauth", nil, "Authenticate with the strongest scheme that the server offers") {
      $0.schemes = $1 ? .any : []
    },
    .value("oauth2-bearer", nil, "token", "Send this Bearer token") { $0.bearer = $1 },
    .value("aws-sigv4", nil, "provider1[:provider2[:region[:service]]]", "Sign with AWS Signature V4") {
      $0.awsSignature = $1
    },
    .flag("netrc", "n", "Read user and password from .netrc") { $0.netrc = $1 ? .always : .never },
    .flag("netrc-optional", nil, "Read them from .netrc unless the URL or -u has them") { $0.netrc = $1 ? .optional : .never },
    .value("netrc-file", nil, "file", "Read them from this file") {
      $0.netrcFile = $1
      if $0.netrc == .never { $0.netrc = .always }
    },
  ]
}
