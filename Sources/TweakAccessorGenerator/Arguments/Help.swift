/// The help text of the tool.
enum Help {
  static let text = """
    Makes a Swift type of files of tweaks, with a property for each tweak.

      TweakAccessorGenerator -l FILE… -o FOLDER [-c FOLDER]

      -l, --local-tweaks-file-path FILE   a JSON file of tweaks; more than one may be given, each after an -l
      -o, --output-folder FOLDER          where to put the code; files that would say the same stay untouched
      -c, --configuration-folder FOLDER   where a config.json is, or that file itself, which may say
                                          { "accessorName": "GeneratedTweakAccessor", "accessLevel": "internal" }

    Makes a file of tweaks of what another library uses.

      TweakAccessorGenerator convert --from justtweak|toggles [--to toggles] [--feature NAME] INPUT OUTPUT

      --from FORMAT                       whose file it is
      --to FORMAT                         whose file it becomes; one of tweaks, as JustTweak has them, if it is not given
      --feature NAME                      the feature that Toggles' variables become part of; "toggles" if it is not given

    What is wrong in a file is told as FILE:LINE:COLUMN: error: …, and then nothing is written.
    """
}
