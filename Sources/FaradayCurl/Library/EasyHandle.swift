internal import CCurl
#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A libcurl easy handle with setters that can fail, and say which option it was.
struct EasyHandle {
  let pointer: UnsafeMutableRawPointer

  /// An option that libcurl would not take.
  struct Refused: Error {
    let option: String
    let code: CURLcode
  }

  func set(_ option: CURLoption, _ value: Int) throws(Refused) {
    try check(faraday_set_long(pointer, option, value), option)
  }

  func set(_ option: CURLoption, offset value: Int64) throws(Refused) {
    try check(faraday_set_offset(pointer, option, value), option)
  }

  /// libcurl copies the string. Nil is libcurl's NULL: what that means differs by option. C would cut a string at a null character:
  /// one that has any is refused.
  func set(_ option: CURLoption, _ value: String?) throws(Refused) {
    guard let value else { return try check(faraday_set_string(pointer, option, nil), option) }
    let code = value.withCString { text in
      strlen(text) == value.utf8.count ? faraday_set_string(pointer, option, text) : CURLE_BAD_FUNCTION_ARGUMENT
    }
    try check(code, option)
  }

  func set(_ option: CURLoption, _ value: UnsafeRawPointer?) throws(Refused) {
    try check(faraday_set_pointer(pointer, option, value), option)
  }

  func check(_ code: CURLcode, _ option: CURLoption) throws(Refused) {
    guard code != CURLE_OK else { return }
    let name = curl_easy_option_by_id(option).map { String(cString: $0.pointee.name) }
    throw Refused(option: "CURLOPT_" + (name ?? String(option.rawValue)), code: code)
  }

  func get(_ info: CURLINFO) -> Int {
    var value = 0
    return faraday_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  func get(offset info: CURLINFO) -> Int64 {
    var value: Int64 = 0
    return faraday_get_offset(pointer, info, &value) == CURLE_OK ? value : 0
  }
}
