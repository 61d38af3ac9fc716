/**
 * Reports as one HTML document each: without scripts, without anything that is fetched, and fit to
 * be printed.
 */

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** Characters that cannot be seen, or that turn the direction of text, are spelt out. */
export function escapeHtml(text: string): string {
	return text
		.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
		.replace(/[\p{Cc}\p{Surrogate}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (sign) =>
			sign === "\n" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
		);
}

const STYLE = `
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { border: 1px solid #c8c8c8; padding: .25rem .5rem; text-align: left; }
th, td { vertical-align: top; overflow-wrap: anywhere; }
thead th { background: #eee; } tbody th { font-weight: 600; } small { color: #555; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } }
@media print { thead { display: table-header-group; } tr { break-inside: avoid; } }
`;

/**
 * Everything of a document in front of its content.
 * @param title escaped text
 * @param style rules that follow those of all reports
 */
export const formatDocumentHead = (title: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<h1>${title}</h1>
`;

/** The end of a document. */
export const DOCUMENT_END = "</body>\n</html>\n";
