"""The look of the pictures of measurements: colours, fonts, and the file of each theme."""

THEMES = {
    "": {"ink": "#1d1d1f", "soft": "#5b626c", "line": "#d9dce1", "ours": "#1b5fae", "theirs": "#a9b1bc"},
    "~dark": {"ink": "#f5f5f7", "soft": "#aab0b9", "line": "#3a3e45", "ours": "#6cb2ff", "theirs": "#666d78"},
}
SANS = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif"
WIDTH = 720


class Picture:
    """An SVG in one theme."""

    def __init__(self, title, height, theme):
        self.theme = theme
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'font-family="{SANS}">',
            f"  <title>{title}</title>",
        ]

    def add(self, element):
        self.lines.append("  " + element)

    def text(self, x, y, words, color, size=17, anchor="start", weight=400):
        self.add(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" '
                 f'text-anchor="{anchor}" fill="{self.theme[color]}">{words}</text>')

    def rule(self, x1, y1, x2, y2):
        self.add(f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{self.theme["line"]}"/>')

    def __str__(self):
        return "\n".join(self.lines + ["</svg>", ""])


def write(path, draw):
    """Writes the picture that a function draws in each theme."""
    for suffix, theme in THEMES.items():
        with open(path + suffix + ".svg", "w", encoding="utf-8") as file:
            file.write(str(draw(theme)))
