internal import CCurl
internal import FaradayCore

extension Timeouts {
  /// Only the connect timeout is libcurl's: its total would run while a request waits for a slot, its idle timeout wakes up
  /// once a second per transfer.
  func apply(to easy: EasyHandle) throws(EasyHandle.Refused) {
    // Zero would mean libcurl's default of five minutes; the largest it takes is 24 days.
    let milliseconds = connect.map { ($0.nanoseconds + 999_999) / 1_000_000 } ?? Int64(Int32.max)
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(milliseconds, 1), Int64(Int32.max))))
  }
}
