import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)
let jar = try CookieJar(scope: app.scope)
guard let server = URL(string: "https://notes.example.org/") else { exit(1) }

try jar.setCookies(["session=mine; Secure; HttpOnly; Max-Age=3600"], from: server)
print(jar.header(for: server) ?? "no cookies")  // Prints "session=mine"

try app.activate(company)
print(jar.header(for: server) ?? "no cookies")  // Prints "no cookies"
