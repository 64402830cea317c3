import Faraday
import FaradayCurl

/// What `%{json}`, `%{header_json}` and `%{certs}` stand for.
enum WriteOutJSON {
  /// All variables as an object, in curl's order.
  static func object(about report: Report) -> String {
    // These came after curl 7.88.
    let members = WriteOutVariable.all.filter { $0.name != "num_retries" }.map { variable in
      "\"\(variable.name)\":\(literal(variable.value(report)))"
    }
    return "{" + (members + ["\"curl_version\":\(quoted(CurlAdapter.libraryVersion))"]).joined(separator: ",") + "}"
  }

  /// The fields of a response's head as an object: names in lower case, values in lists.
  static func headers(of response: Response?) -> String {
    var names: [String] = []
    var values: [String: [String]] = [:]
    for field in response?.headers ?? [:] {
      let name = field.name.canonicalName
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(quoted(field.value))
    }
    return "{" + names.map { "\(quoted($0)):[\((values[$0] ?? []).joined(separator: ","))]" }.joined(separator: ",\n") + "\n}"
  }

  /// The certificates in PEM, one after the other. curl's description of each in words is left out.
  static func certificates(_ certificates: [Data]) -> String {
    certificates.map { certificate in
      let lines = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }.joined()
  }

  private static func literal(_ value: WriteOutVariable.Value) -> String {
    switch value {
    case .text(nil): "null"
    case .text(let text?): quoted(text)
    case .status(let code): "\(code)"
    case .number, .time: value.text
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{8}": quoted += "\\b"
      case "\u{C}": quoted += "\\f"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        quoted += "\\u" + Figures.padded(scalar.value, to: 4, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
