/// Why an argument is not a valid option, in curl's words.
enum OptionProblem: Error, Equatable, CustomStringConvertible {
  case unknown
  case ambiguous
  case missingValue
  case notNegatable
  case notAFlag
  case badUse
  case notANumber
  case negative
  case tooLarge
  case unsupported(String)
  /// The library lacks it: exit status 2 as with curl, which has 4 for what a transfer finds out.
  case notInLibrary(reason: String?)
  case other(String)

  var description: String {
    switch self {
    case .unknown: "is unknown"
    case .ambiguous: "is ambiguous"
    case .missingValue: "requires parameter"
    case .notNegatable: "the given option can't be reversed with a --no- prefix"
    case .notAFlag: "used '--no-' for option that isn't a boolean"
    case .badUse: "is badly used here"
    case .notANumber: "expected a proper numerical parameter"
    case .negative: "expected a positive numerical parameter"
    case .tooLarge: "too large number"
    case .unsupported(let instead): "not supported; \(instead)"
    case .notInLibrary(let reason): "the installed libcurl version doesn't support this" + (reason.map { ", " + $0 } ?? "")
    case .other(let reason): reason
    }
  }
}
