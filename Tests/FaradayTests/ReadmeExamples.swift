import Faraday
import FaradayCurl
import FaradayTesting
import FoundationEssentials
import Logging

// Blocks of Swift in README.md and the articles, each as it stands there; ReadmeTests compares them.

func firstPrograms() async throws {
  let api = try Connection("https://api.example.com/v2/")
  let user = try await api.post("users", json: ["name": "Ada", "age": 36, "tags": ["a", "b"]]).json()
  print(user["id"]?.int ?? 0)

  for try await line in api.lines("log") { print(line) }

  let backup = try await api.put("backup", body: .file("/var/backup.tar")) {
    $0.options.onUploadProgress = { progress in print(progress.fraction ?? 0) }
  }
  print(backup.status)
}

func request() async throws {
  let connection = try Connection("https://api.example.com/v2/", adapter: CurlAdapter())
  let response = try await connection.get("users")
  print(response.status, try await response.text())
}

func failure(_ connection: Connection) async throws {
  do {
    _ = try await connection.get("report", timeout: .seconds(5))
  } catch let error as any FaradayError where error.isTransient {
    print(error.isTimeout ? "too slow" : "try again later", error.request?.url ?? "", error.response?.status ?? "no response")
  }
}

func verbs(_ connection: Connection, name: String, trace: String) async throws {
  typealias User = Faces.User

  let users = try await connection.get(
    "users", query: ["role": "admin", "page": 2], headers: ["X-Trace": trace], timeout: .seconds(5))
  let user = try await connection.get("users/{id}", variables: ["id": name], as: User.self)
  let created = try await connection.post("users", json: User(name: "Ada")) {
    $0.options.timeouts.connect = .seconds(1)
  }
  _ = (users, user, created)
}

func pages(_ connection: Connection) async throws -> [Faces.User] {
  typealias User = Faces.User

  var users: [User] = []
  for try await page in connection.pages("users", query: ["per_page": 100], limit: 50) {
    users += try await page.decode([User].self)
  }
  return users
}

func streamed(_ connection: Connection) async throws {
  let log = try await connection.stream("log")
  for try await piece in log.body {
    print(piece.count, "bytes")
  }
  print(log.trailers, log.metrics.total ?? .zero)
}

func onTheEngine() async throws {
  let curl = CurlAdapter()
  let feed = try Connection("https://api.example.com/", adapter: curl)
  let size = try await withTaskExecutorPreference(curl.taskExecutor) {
    var size = 0
    for try await piece in try await feed.get("feed", edit: { $0.options.delivery = .streamed }).body { size += piece.count }
    return size
  }
  print(size)
}

func chunks(_ connection: Connection) async throws {
  _ = try await connection.get("feed") {
    $0.options.onHead = { head in print(head.status) }
    $0.options.onChunk = { bytes in bytes.byteCount == 0 ? .cancel : .continue }
  }
}

func upload(_ connection: Connection) async throws {
  _ = try await connection.put("backup", body: .file("/var/backup.tar")) {
    $0.options.onUploadProgress = { progress in print(progress.fraction ?? 0) }
  }
}

func middleware(_ connection: Connection) async throws {
  struct RequestTimer: Middleware {
    func handle(_ request: Request, next: Next) async throws -> Response {
      let response = try await next(request)
      print(request.url, response.metrics.total ?? .zero)
      return response
    }
  }

  var timed = connection
  timed.use(RequestTimer())
  timed.use { request, next in
    var request = request
    request.headers[.userAgent] = "example/1.0"
    return try await next(request)
  }

  struct APIVersion: RequestTransformer {
    let version: String
    func transformed(_ request: Request, capabilities: Capabilities) -> Request {
      var request = request
      request.headers[.accept] = "application/vnd.example.\(version)+json"
      return request
    }
  }

  var versioned = connection
  versioned.use(APIVersion(version: "v3"))
}

func standard(_ token: String, _ logger: Logger, name: String, age: Int?) async throws {
  let api = try Connection(
    "https://api.example.com/v2/", adapter: CurlAdapter(),
    middleware: .standard(authorization: .authorization(.bearer(token)), cookies: CookieJar(), logger: logger))
  let user = try await api.post("users", json: ["name": name, "age": age, "tags": ["a", "b"]])
  print(try await user.json()["id"]?.int ?? 0, user.redirects.count, user.retries)
}

func parts() throws -> Connection {
  var strict = try Connection(
    "https://api.example.com/v2/", adapter: CurlAdapter(), middleware: [.timeout(.seconds(30)), .statusValidation] + .standard)
  strict.use(.interceptors([.request { $0.headers[.acceptLanguage] = "cy" }]))
  return strict
}
