/**
 * Holds the build of the web UI against its budget: what the first page takes, what each further one adds, and all of it.
 * Sizes are those that travel: gzip, level 9. Fails with every figure that is over.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), "web/dist");
const KB = 1024;
const BUDGET = {
	firstScript: 140 * KB,
	firstStyle: 16 * KB,
	furtherScript: 60 * KB,
	allScript: 800 * KB,
	preloadedFonts: 90 * KB,
};
/** Pages that may take more than the others. */
const EXCEPTIONS = {
	"src/areas/queries/builder/builder.tsx": 110 * KB,
	"src/areas/automation/new-request.tsx": 90 * KB,
};
/** What a person who is signed in sees first. */
const FIRST_PAGE = "src/areas/overview/overview.tsx";

const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const sizes = new Map();

function getSize(file) {
	if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
	return sizes.get(file);
}

/** A part with everything that it needs at once. */
function listImported(key, seen = new Set()) {
	if (seen.has(key)) return seen;
	seen.add(key);
	for (const next of manifest[key].imports ?? []) listImported(next, seen);
	return seen;
}

const listFiles = (keys, pick) => [...new Set([...keys].flatMap((key) => pick(manifest[key])))];
const listScripts = (keys) => listFiles(keys, ({ file }) => (file.endsWith(".js") ? [file] : []));
const listStyles = (keys) => listFiles(keys, ({ css = [] }) => css);
const sumSizes = (list) => list.reduce((total, file) => total + getSize(file), 0);

const base = listImported(entry);
const first = new Set([...base, ...listImported(FIRST_PAGE)]);
const figures = [
	["first page, script", sumSizes(listScripts(first)), BUDGET.firstScript],
	["first page, style", sumSizes(listStyles(first)), BUDGET.firstStyle],
];
for (const key of Object.keys(manifest).filter((name) => manifest[name].isDynamicEntry)) {
	const own = listScripts(listImported(key)).filter((file) => !listScripts(base).includes(file));
	figures.push([`${key}, script of its own`, sumSizes(own), EXCEPTIONS[key] ?? BUDGET.furtherScript]);
}
const all = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".js"));
figures.push(["all script", sumSizes(all.map((name) => `assets/${name}`)), BUDGET.allScript]);
const page = readFileSync(join(dist, "index.html"), "utf8");
const fonts = [...page.matchAll(/href="\.\/([^"]+\.woff2)"/g)].map(([, file]) => readFileSync(join(dist, file)).length);
figures.push([
	`${fonts.length} preloaded fonts`,
	fonts.reduce((total, bytes) => total + bytes, 0),
	BUDGET.preloadedFonts,
]);

let over = 0;
for (const [name, bytes, limit] of figures) {
	if (bytes > limit) over++;
	const note = bytes > limit ? "  OVER" : "";
	process.stdout.write(
		`${(bytes / KB).toFixed(1).padStart(7)} KB of ${(limit / KB).toFixed(0).padStart(3)}  ${name}${note}\n`,
	);
}
process.exitCode = over > 0 ? 1 : 0;
