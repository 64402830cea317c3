import Faraday
import FaradayCurl
import Foundation

// The blocks of Swift in the article "Authentication", each as it stands there; ReadmeTests compares them.

enum AuthenticationExamples {
  protocol Vault: Sendable {
    func token(for host: String) async throws -> String
    func save(_ token: OAuth2.Token) async
  }

  protocol Login: Sendable {
    func renew(_ rejected: String?) async throws -> String
  }

  static func fixed(_ base: String, user: String, password: String, over adapter: any Adapter) throws -> Connection {
    let api = try Connection(
      base, adapter: adapter, middleware: .standard(authorization: .authorization(.basic(user: user, password: password))))
    return api
  }

  static func provided(_ base: String, _ vault: any Vault, over adapter: any Adapter) throws -> Connection {
    let provider = Authorization { request in
      .bearer(try await vault.token(for: request.url.host() ?? ""))
    }
    let api = try Connection(base, adapter: adapter, middleware: .standard(authorization: provider))
    return api
  }

  static func oneRequest(_ api: Connection, token: String) async throws -> Response {
    let other = try await api.get("reports") { try $0.headers.authorize(.bearer(token)) }
    return other
  }

  static func refreshed(_ base: String, _ login: any Login, savedToken: String?, over adapter: any Adapter) throws -> Connection {
    let tokens = TokenRefresh(token: savedToken) { rejected in try await login.renew(rejected) }
    let api = try Connection(base, adapter: adapter, middleware: .standard(authorization: tokens))
    return api
  }

  static func keyInField(_ base: String, key: String, over adapter: any Adapter) throws -> Connection {
    let api = try Connection(base, headers: ["X-Api-Key": key], adapter: adapter, middleware: .standard)
    return api
  }

  static func keyInQuery(_ base: String, key: String, over adapter: any Adapter) throws -> Connection {
    var api = try Connection(base, adapter: adapter, middleware: .standard)
    api.use(
      .interceptors([
        .request { request in
          if !request.isCrossOrigin { request.query["appid"] = key }
        }
      ]))
    api.secrets.insert("appid")
    return api
  }

  static func netrc(_ api: Connection) throws -> Connection {
    var api = api
    api.use(try .netrc())
    return api
  }

  static func kerberos(_ connection: Connection) async throws -> Response {
    let report = try await connection.get("report") {
      $0.options.authentication = TransportAuthentication(user: "", password: "", schemes: .negotiate)
    }
    return report
  }

  static func proxy(_ base: String, user: String, password: String) throws -> Connection {
    var proxy = Proxy(.http, host: "proxy.example.com", port: 3128, user: user, password: password)
    proxy.authentication = [.basic, .digest]
    var defaults = Options()
    defaults.proxy = .proxy(proxy)
    let api = try Connection(base, defaults: defaults, adapter: CurlAdapter(), middleware: .standard)
    return api
  }

  static func clientCredentials(
    _ base: String, tokenURL: URL, secret: String, over adapter: any Adapter
  ) throws -> Connection {
    let tokens = OAuth2(
      tokenURL: tokenURL, client: OAuth2.Client(id: "app", secret: secret), scope: "read",
      over: Connection(adapter: adapter, middleware: .standard))
    let api = try Connection(base, adapter: adapter, middleware: .standard(authorization: tokens))
    return api
  }

  static func refreshToken(
    tokenURL: URL, client: OAuth2.Client, stored: OAuth2.Token, _ vault: any Vault, over endpoint: Connection
  ) -> OAuth2 {
    let tokens = OAuth2(
      tokenURL: tokenURL, client: client, grant: .refreshToken(stored.refreshToken ?? ""), token: stored, over: endpoint,
      onToken: { token in await vault.save(token) })
    return tokens
  }

  static func code(
    authorizationURL: URL, tokenURL: URL, client: OAuth2.Client, over endpoint: Connection, _ browser: (URL) async throws -> URL
  ) async throws -> OAuth2 {
    let authorization = OAuth2.AuthorizationRequest(
      authorizationURL, clientID: client.id, redirectURI: "http://127.0.0.1:8080/done", scope: "read",
      issuer: "https://login.example.com")
    let callback = try await browser(authorization.url)
    let tokens = OAuth2(tokenURL: tokenURL, client: client, grant: try authorization.grant(from: callback), over: endpoint)
    return tokens
  }

  static func device(
    deviceURL: URL, tokenURL: URL, client: OAuth2.Client, over endpoint: Connection, clock: any Clock<Duration>
  ) async throws -> OAuth2.Token {
    let token = try await OAuth2.authorizeDevice(
      at: deviceURL, tokenURL: tokenURL, client: client, scope: "read", over: endpoint, clock: clock
    ) { device in
      print("Open \(device.verificationURL) and enter \(device.userCode)")
    }
    return token
  }

  struct Bucket: Sendable {
    let api: Connection

    init(_ url: String, region: String, credentials: AWSCredentials, over adapter: any Adapter) throws {
      let signature = AWSSignature(AWSScope(region: region, service: "s3"), credentials: credentials)
      api = try Connection(url, adapter: adapter, middleware: [.statusValidation] + .standard(signature: signature))
    }

    func put(_ path: String, to key: String) async throws {
      _ = try await api.put(key, headers: ["Content-Type": "application/octet-stream"], body: .file(path))
    }
  }

  static func temporary(_ provider: @escaping AWSSignature.Provider) -> AWSSignature {
    let signature = AWSSignature(AWSScope(region: "eu-central-1", service: "s3")) { request in try await provider(request) }
    return signature
  }

  static func presigned(_ credentials: AWSCredentials, over adapter: any Adapter) async throws -> Response {
    let signature = AWSSignature(AWSScope(region: "eu-central-1", service: "s3"), credentials: credentials)
    let request = try Request(.put, "https://files.s3.eu-central-1.amazonaws.com/photos/1.jpg")
    let url = try await signature.presignedURL(for: request, expires: .seconds(600))
    let sent = try await Connection(adapter: adapter).put(url, body: .text("the photo"))
    return sent
  }
}

extension AuthenticationExamples.Bucket {
  struct InvalidAnswer: Error { let text: String }

  /// Uploads a file in parts of this size: at least 5 MiB except for the last one, and at most 10,000 parts.
  func upload(_ path: String, to key: String, partSize: Int64 = 64 << 20) async throws {
    let started = try await api.post(key + "?uploads").text()
    guard let id = started.firstMatch(of: /<UploadId>([^<]+)<\/UploadId>/)?.1 else { throw InvalidAnswer(text: started) }
    do {
      try await finish(key, id: String(id), tags: try await tags(of: path, in: partSize, for: key, id: String(id)))
    } catch {
      // Parts of an upload that is neither completed nor aborted are stored and billed. A new task is not cancelled.
      await Task { _ = try? await api.delete(key, query: ["uploadId": String(id)]) }.value
      throw error
    }
  }

  private func tags(of path: String, in partSize: Int64, for key: String, id: String) async throws -> [String] {
    let size = try Body.file(path).length ?? 0
    let starts = stride(from: 0, to: max(size, 1), by: Int(partSize)).enumerated()
    let parts = api.map(Array(starts), concurrency: 4) { api, part in
      let range = part.element..<min(part.element + partSize, size)
      let response = try await api.put(
        key, query: ["partNumber": part.offset + 1, "uploadId": id], body: .file(path, range: range))
      guard let tag = response.headers[.eTag] else { throw InvalidAnswer(text: "a part has no ETag") }
      return tag
    }
    var tags: [String] = []
    for try await tag in parts { tags.append(tag) }
    return tags
  }

  private func finish(_ key: String, id: String, tags: [String]) async throws {
    let parts = tags.enumerated().map { "<Part><PartNumber>\($0 + 1)</PartNumber><ETag>\($1)</ETag></Part>" }
    let list = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
    let answer = try await api.post(
      key, query: ["uploadId": id], headers: ["Content-Type": "application/xml"], body: .text(list)
    ).text()
    // S3 sends the status 200 before it joins the parts. A failure is in the body.
    guard answer.contains("<CompleteMultipartUploadResult") else { throw InvalidAnswer(text: answer) }
  }
}
