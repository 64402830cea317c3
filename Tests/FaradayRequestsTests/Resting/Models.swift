import Faraday

struct User: Codable, Equatable, Sendable {
  var name: String
  var age = 36
}

/// Cannot be encoded.
struct Measure: Codable, Sendable {
  var values = ["a": [1, Double.nan]]
}

struct Portrait: Encodable, Sendable {
  var title = "Ada"
  var file: FormFile
}

/// The response of the server's `/upload`.
struct Uploaded: Decodable, Equatable, Sendable {
  let bytes: Int64
  let framing: String
  let fnv1a: String?
}
