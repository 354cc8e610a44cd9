/// The help text of the tool.
enum Help {
  static let text = """
    Generates a Swift type with a property for each tweak in the given files.

      TweakAccessorGenerator -l FILE… -o FOLDER [-c FOLDER]

      -l, --local-tweaks-file-path FILE   a JSON file of tweaks; repeat the option for more files
      -o, --output-folder FOLDER          the folder for the code; files with unchanged content are not rewritten
      -c, --configuration-folder FOLDER   the folder of a config.json, or the file itself, such as
                                          { "accessorName": "GeneratedTweakAccessor", "accessLevel": "internal" }

    Converts a file of another library to a file of tweaks, or the reverse.

      TweakAccessorGenerator convert --from justtweak|toggles [--to toggles] [--feature NAME] INPUT OUTPUT

      --from FORMAT                       the format of the input
      --to FORMAT                         the format of the output; by default justtweak, the format of tweak files
      --feature NAME                      the feature for the variables of a Toggles file; by default "toggles"

    Problems are reported as FILE:LINE:COLUMN: error: …. If there is an error, nothing is written.
    """
}
