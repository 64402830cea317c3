@testable import FaradayCore
import Foundation

extension Target {
  /// A date is read from each of the three forms of RFC 9110, section 5.6.7, and what is read is written as a date that is the
  /// same one. The system's calendar does the writing.
  static let dates = Target("dates") { input in
    if let date = HTTPDate.parse(input.text) {
      let seconds = date.timeIntervalSince1970
      expect(seconds == seconds.rounded() && years.contains(seconds), "\(seconds) is no second of the years 1601 to 9999")
      checkForms(of: Int(seconds))
    }
    guard input.bytes.count >= 8 else { return }
    let number = input.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    checkForms(of: Int(years.lowerBound) + Int(number % UInt64(years.upperBound - years.lowerBound)))
  }

  private static let years = -11_644_473_600.0..<253_402_300_800.0
  /// Of those years alone two digits say which.
  private static let shortYears = 0..<3_155_760_000

  private static func checkForms(of seconds: Int) {
    var time = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return }
    var forms = ["%a, %d %b %Y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
    if shortYears.contains(seconds) { forms.append("%A, %d-%b-%y %H:%M:%S GMT") }
    for form in forms {
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = buffer.withUnsafeMutableBytes { strftime($0.baseAddress, $0.count, form, &parts) }
      let text = String(decoding: buffer.prefix(count), as: UTF8.self)
      expectEqual(HTTPDate.parse(text)?.timeIntervalSince1970, Double(seconds), text)
    }
  }
}
