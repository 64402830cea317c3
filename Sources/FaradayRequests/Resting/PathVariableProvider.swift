public import FaradayCore

/// Provides default values for the path variables of a client's requests. A request's values override them.
public protocol PathVariableProvider: Sendable {
  /// Read for each request, concurrently. The call throws its errors, and nothing is sent.
  var variables: [String: any ParameterValue] { get throws }
}

/// A mutable set of path variables, with fixed values or closures that are called for each request. Thread-safe.
///
///     let variables = RestingPathVariableProvider()
///     variables.set(name: "version", value: 2)
///     variables.set(name: "tenant") { session.tenant }
public final class RestingPathVariableProvider: PathVariableProvider {
  private let provided = ProvidedValues<any ParameterValue>()

  /// Creates a provider without variables.
  public init() {}

  /// Sets the value of a variable, and replaces a variable of equal name.
  public func set(name: String, value: any ParameterValue) { set(name: name) { value } }

  /// Sets a variable to the value that the closure returns for each request. With nil the variable has no value, and a path
  /// that contains it throws ``FaradayCore/InvalidValueError``.
  public func set(name: String, provider: @escaping @Sendable () throws -> (any ParameterValue)?) {
    provided.set(name, provider) { $0 == name }
  }

  /// Removes the variable.
  public func remove(_ name: String) { provided.remove { $0 == name } }

  /// The current values. Throws the errors of a closure.
  public var variables: [String: any ParameterValue] {
    get throws { Dictionary(try provided.values) { $1 } }
  }
}
