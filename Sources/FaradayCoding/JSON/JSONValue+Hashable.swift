extension JSONValue: Hashable {
  /// Compares iteratively, because values may be deeply nested.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    var pairs = [(left, right)]
    while let pair = pairs.popLast() {
      switch pair {
      case (.null, .null): continue
      case (.bool(let left), .bool(let right)): guard left == right else { return false }
      case (.number(let left), .number(let right)): guard left == right else { return false }
      case (.string(let left), .string(let right)): guard left == right else { return false }
      case (.array(let left), .array(let right)):
        guard left.count == right.count else { return false }
        pairs.append(contentsOf: zip(left, right))
      case (.object(let left), .object(let right)):
        guard left.count == right.count else { return false }
        for member in left.members {
          guard let other = right[member.key] else { return false }
          pairs.append((member.value, other))
        }
      default: return false
      }
    }
    return true
  }

  /// Hashes the first eight levels: values that differ only below them collide.
  public func hash(into hasher: inout Hasher) { combine(into: &hasher, levels: 8) }

  /// Hashes recursively, to a limited number of levels.
  private func combine(into hasher: inout Hasher, levels: Int) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let values):
      hasher.combine(values.count)
      guard levels > 0 else { return }
      for value in values { value.combine(into: &hasher, levels: levels - 1) }
    case .object(let object):
      hasher.combine(object.count)
      guard levels > 0 else { return }
      // A sum, so that the order of members does not matter.
      var sum = 0
      for member in object.members {
        var own = Hasher()
        own.combine(JSONName(text: member.key))
        member.value.combine(into: &own, levels: levels - 1)
        sum &+= own.finalize()
      }
      hasher.combine(sum)
    }
  }
}

extension JSONObject: Hashable {
  /// Equal members, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool { JSONValue.object(left) == .object(right) }
  /// Hashes the members, in any order.
  public func hash(into hasher: inout Hasher) { hasher.combine(JSONValue.object(self)) }
}
