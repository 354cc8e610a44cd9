public import AppGroups
import FileSignals
public import Foundation

/// An error in reading or changing a tweak.
///
/// No error shows the value of a secret tweak.
@nonexhaustive
public enum TweakError: Error, Sendable, Hashable {
  /// No provider has the tweak.
  case notFound(TweakID)

  /// The provider has disabled the tweak, so that reads return their default, without a report.
  case disabled(TweakID, provider: String)

  /// A provider cannot hold the value.
  case notSupported(TweakID, provider: String, reason: String)

  /// The value is not of the type that was asked for.
  case typeMismatch(TweakID, expected: String, found: String, provider: String)

  /// The value is encrypted, and neither the provider nor the manager has a closure to decrypt it.
  case decryptionClosureNotProvided(TweakID, provider: String)

  /// The value is encrypted, and the closure that decrypts it threw.
  case decryptionFailed(TweakID, provider: String, reason: String)

  /// The value must be stored encrypted, and the manager has no closure to encrypt it.
  case encryptionClosureNotProvided(TweakID, provider: String)

  /// The closure that encrypts values threw.
  case encryptionFailed(TweakID, provider: String, reason: String)

  /// There is no mutable provider.
  case readOnly(TweakID)

  /// A provider could not read or store the value.
  case unavailable(TweakID, provider: String, reason: String)

  /// The value depends on a share of all users, and the context has no targeting key.
  case targetingKeyMissing(TweakID, provider: String)

  /// A provider, or a nested manager, asked for the tweak that it was being asked for.
  case cyclic(TweakID, provider: String)

  /// A hook refused the lookup of the tweak.
  case hookFailed(TweakID, reason: String)

  /// The file does not have the format of tweaks.
  case invalidFile(URL, line: Int, column: Int, reason: String)

  /// The file cannot be read or observed.
  case unusableFile(AppGroupsFileError)

  /// The store of the tweaks failed.
  case unusableStore(provider: String, reason: String)

  /// A request to the server of a provider failed, so the last good values stay.
  case requestFailed(provider: String, TweakRequestFailure)

  /// A file in the cache of a provider cannot be read or written, so it is not used.
  case unusableCache(URL, provider: String, reason: String)

  /// A condition uses an operator that this program does not know, compares values of different kinds, or has none, so
  /// the rule does not apply.
  case incomparable(TweakID, attribute: String, reason: String, provider: String)

  /// A name in a provider, such as an environment variable, could mean either of two tweaks.
  case ambiguousName(TweakID, other: TweakID, name: String, provider: String)

  /// An argument, or an environment variable, names an unknown tweak.
  case unknownArgument(String, suggestion: String?)

  /// The text that was typed for a tweak does not represent a value of its kind.
  ///
  /// The text for a secret is not repeated.
  case invalidText(String, kind: TweakKind)

  /// An argument is malformed.
  case invalidArgument(String, reason: String)
}

extension TweakError: CustomStringConvertible, LocalizedError {
  /// A description of the failure, its place, its cause and its remedy.
  public var description: String {
    switch self {
    case .notFound(let id):
      "No provider has a value for \(id). Add the tweak to a tweak file, or read it with a default."
    case .disabled(let id, let provider):
      "\(provider) has disabled \(id). Enable it on the server, or read it with a default."
    case .notSupported(let id, let provider, let reason):
      "\(provider) cannot hold the value for \(id): \(clause(reason))."
    case .typeMismatch(let id, let expected, let found, let provider):
      "The value for \(id) from \(provider) is \(found), but was requested as \(expected). Correct the value or the type."
    case .decryptionClosureNotProvided(let id, let provider):
      "The value for \(id) from \(provider) is encrypted. Set the decryptionClosure of the manager or of the provider."
    case .decryptionFailed(let id, let provider, let reason):
      "The value for \(id) from \(provider) could not be decrypted: \(clause(reason))."
    case .encryptionClosureNotProvided(let id, let provider):
      "The value for \(id) is secret, but \(provider) would store it unencrypted. Set the manager's encryptionClosure."
    case .encryptionFailed(let id, let provider, let reason):
      "The value for \(id) was not stored in \(provider), because it could not be encrypted: \(clause(reason))."
    case .readOnly(let id):
      "Can't change \(id): no provider is mutable. Add a mutable provider, such as EphemeralTweakProvider."
    case .unavailable(let id, let provider, let reason):
      "\(provider) failed for \(id): \(clause(reason))."
    case .targetingKeyMissing(let id, let provider):
      "\(provider) gives \(id) to a share of users, but the context does not identify the user. Set its targetingKey."
    case .cyclic(let id, let provider):
      "\(provider) requested \(id) while it was providing it. Let it read from a manager that does not contain it."
    case .hookFailed(let id, let reason):
      "A hook refused the lookup of \(id): \(clause(reason))."
    case .invalidFile(let url, let line, let column, let reason):
      "\(url.path):\(line):\(column): \(reason). Correct the file. If it is followed, its last readable tweaks stay in "
        + "effect until then."
    case .unusableFile(let error):
      error.description
    case .unusableStore(let provider, let reason):
      "\(provider): \(reason)"
    case .requestFailed(let provider, let failure):
      "\(provider): \(clause("\(failure)")). The last good values stay in effect."
    case .unusableCache(let url, let provider, let reason):
      "\(provider) can't use its cache \(url.path): \(clause(reason)). Values are fetched from the server."
    case .incomparable(let id, let attribute, let reason, let provider):
      "A rule of \(provider) for \(id) cannot compare \(attribute.debugDescription): \(reason). The rule does not "
        + "apply; correct the condition or the context."
    case .ambiguousName(let id, let other, let name, let provider):
      "\(name) in \(provider) is ambiguous: it could mean \(id) or \(other), so it sets neither. Rename one of these "
        + "tweaks, or set it with another provider, such as ArgumentsTweakProvider."
    case .unknownArgument(let name, let suggestion):
      "There is no tweak \(name.debugDescription)." + (suggestion.map { " Did you mean \($0.debugDescription)?" } ?? "")
    case .invalidText(let text, .bool): "\(text.debugDescription) is not a Bool. Enter true or false."
    case .invalidText(let text, .int): "\(text.debugDescription) is not an Int. Enter a whole number."
    case .invalidText(let text, .double): "\(text.debugDescription) is not a Double. Enter a number."
    case .invalidText(let text, .string):
      "\(text.debugDescription) is not a value of this tweak. Enter a JSON object or list."
    case .invalidArgument(let argument, let reason):
      "The argument \(argument.debugDescription) is invalid: \(reason)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// The cause, for a message that already names the tweak and the provider.
  var cause: String {
    switch self {
    case .disabled: "it has disabled the tweak"
    case .notSupported(_, _, let reason): "it cannot hold the value: \(reason)"
    case .typeMismatch(_, let expected, let found, _): "\(found), which is not of type \(expected)"
    case .decryptionClosureNotProvided: "the value is encrypted, and no decryptionClosure is set"
    case .decryptionFailed(_, _, let reason): "the value could not be decrypted: \(reason)"
    case .unavailable(_, _, let reason): "it failed: \(reason)"
    case .targetingKeyMissing: "a share of users gets the value, but the context has no targetingKey"
    case .cyclic: "it requested the tweak while it was providing it"
    case .ambiguousName(_, let other, let name, _): "\(name) could mean this tweak or \(other)"
    case .unusableStore(_, let reason): reason
    case .requestFailed(_, let failure): "\(failure)"
    default: description
    }
  }
}
