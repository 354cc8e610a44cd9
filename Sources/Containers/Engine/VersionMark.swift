/// What every version of a file says of itself, however it says the rest: to be read first, and only that.
struct VersionMark: Decodable {
  let version: Int
}
