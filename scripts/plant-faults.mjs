/**
 * Plants small faults into the product, to see whether the tests find them. `server/test/planted-faults.json` is the list: forty
 * faults, one per area and layer, drawn from a seed, each with the test that found it.
 *
 *   node scripts/plant-faults.mjs draw SEED   prints a new list; each fault compiles
 *   node scripts/plant-faults.mjs apply N     plants fault N of the list
 *   node scripts/plant-faults.mjs revert N    removes it
 *
 * A fault names the declaration that it is in and the lines that it changes, so it is found again after a file was renamed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "vitest/node";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LIST = join(root, "server/test/planted-faults.json");
const FOLDERS = ["contracts/src", "sdk/src", "cli/src", "server/src", "lab/src", "web/src"];
const LAYERS_PER_AREA = 2;
const WEB_AREAS = 5;
const MAX_LINES = 4;
/** Stands where a statement was, so that it can be put back. */
const NOTHING = "void 0;";

const AREA = /^(server|web)\/src\/areas\/([^/]+)\//;
/** The first pattern that matches a file of an area is its layer. */
const LAYERS = [
	["rules", /\/(domain|rules)\/|\/policy\.ts$/],
	["sql", /\/sql\/|\/(repo|sql)\b[^/]*\.ts$/],
	["interface", /\/(routes|present|jobs|channels|index)\b[^/]*\.ts$/],
	["use cases", /./],
];
const OTHERS = ["server/src/core", "server/src/storage", "server/src/integrations", "contracts", "cli", "sdk", "lab"];

/** Texts that a person reads, and the log: a fault there is none of behaviour. */
const SPOKEN = /^(summary|description|title|message|label|help|hint|detail|text|note|placeholder|className|examples?)$/;
const SAID = /(^|\.)(log|logger|console|stderr|stdout)\.|^(print|debug|describe)\w*$/;
const SWAPS = ["&& ||", "|| &&", "< <=", "<= <", "> >=", ">= >", "=== !==", "!== ===", "+ -", "- +"];
const OPERATORS = new Map(SWAPS.map((pair) => pair.split(" ")));
/** Methods whose result has the type of what they are called on. */
const DROPPED_METHODS = ["sort", "toSorted", "reverse", "toReversed", "trim", "toLowerCase"];
const SQL = /\b(select|update|delete from|insert into|where|order by|group by)\b/;
const SQL_CHANGES = [
	["SQL sort order", / desc\b/g, " asc"],
	["SQL sort order", / asc\b/g, " desc"],
	["SQL logic", /(?<!between \S+) and /g, " or "],
	["SQL logic", / or /g, " and "],
	["SQL comparison", / < /g, " <= "],
	["SQL comparison", / > /g, " >= "],
	["SQL null", / is null/g, " is not null"],
	["SQL null", / is not null/g, " is null"],
	["SQL comparison", / <> /g, " = "],
];

function listSources() {
	return FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile() && /(?<!\.d|\.test|\.fixture)\.tsx?$/.test(entry.name))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
		.filter((path) => !/packed-names|\/tables\.ts$/.test(path))
		.sort();
}

/** The member of a list that the seed selects for these words. */
function drawMember(list, ...words) {
	const digest = createHash("sha256").update(words.join("\n")).digest();
	return list[Number(digest.readBigUInt64BE() % BigInt(list.length))];
}

function shuffleList(list, ...words) {
	const rest = [...list];
	return list.map((_, at) => rest.splice(rest.indexOf(drawMember(rest, ...words, at)), 1)[0]);
}

/** The area or part of the product, and its layer, that a file belongs to. */
function findCell(path) {
	const [, place, area] = AREA.exec(path) ?? [];
	if (place === "web") return ["web", area];
	if (place === "server") return [area, LAYERS.find(([, pattern]) => pattern.test(path))[0]];
	return [OTHERS.find((folder) => path.startsWith(`${folder}/`)) ?? "", "all"];
}

/** The files of each cell: area → layer → paths. */
function groupSources(sources) {
	const areas = {};
	for (const path of sources) {
		const [area, layer] = findCell(path);
		if (area === "") continue;
		areas[area] ??= {};
		areas[area][layer] ??= [];
		areas[area][layer].push(path);
	}
	return areas;
}

/** The name that a statement of a module declares; undefined for other statements. */
function getDeclaredName(statement) {
	const declaration = statement.declaration ?? statement;
	return declaration.id?.name ?? declaration.declarations?.[0]?.id.name;
}

const parseSource = (text, path) => parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" });
const isNode = (value) => value !== null && typeof value === "object" && typeof value.type === "string";

/** Type code, messages of errors, texts and the log are left as they are. */
function isSkipped(node, text) {
	if (/^TS(?!As|Satisfies|NonNull)|^(Import|ExportAll|ThrowStatement)/.test(node.type)) return true;
	if (node.type === "Property" || node.type === "JSXAttribute") {
		return SPOKEN.test(node.key?.name ?? node.key?.value ?? node.name?.name ?? "");
	}
	if (node.type === "NewExpression") return /Error$/.test(node.callee.name ?? "");
	return node.type === "CallExpression" && SAID.test(text.slice(node.callee.start, node.callee.end));
}

/** Calls `visit(node, parent)` for each node that may have a fault. */
function walkNodes(node, text, visit, parent = null) {
	if (isSkipped(node, text)) return;
	visit(node, parent);
	for (const value of Object.values(node)) {
		for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walkNodes(child, text, visit, node);
	}
}

/** The faults that a node may have: `[kind, start, end, replacement]` each. */
function listChanges(node, parent, text) {
	const get = ({ start, end }) => text.slice(start, end);
	const whole = (kind, replacement) => [[kind, node.start, node.end, replacement]];
	switch (node.type) {
		case "IfStatement": {
			const isGuard = node.alternate === null && /^(\{\s*)?(return|throw|continue)/.test(get(node.consequent));
			const negated = ["negated condition", node.test.start, node.test.end, `!(${get(node.test)})`];
			return isGuard ? [negated, ...whole("dropped guard", NOTHING)] : [negated];
		}
		case "ConditionalExpression":
			return [["negated condition", node.test.start, node.test.end, `!(${get(node.test)})`]];
		case "LogicalExpression":
		case "BinaryExpression": {
			const operator = OPERATORS.get(node.operator);
			if (operator === undefined) return [];
			const between = text.slice(node.left.end, node.right.start).replace(node.operator, () => operator);
			const kind = /[+-]/.test(operator) ? "arithmetic" : /[<>=]/.test(operator) ? "comparison" : "swapped logic";
			return [[kind, node.left.end, node.right.start, between]];
		}
		case "Literal":
			if (typeof node.value === "boolean") return whole("boolean", String(!node.value));
			if (typeof node.value === "number") return whole("number", String(node.value + 1));
			if (typeof node.value !== "string") return [];
			if (SQL.test(node.value)) return listSqlChanges(node, text);
			if (!/^(Call|Return|Logical)/.test(parent.type) || !/^[\w:.-]+$/.test(node.value)) return [];
			return whole("empty string", '""');
		case "TemplateLiteral":
			return SQL.test(get(node)) ? listSqlChanges(node, text) : [];
		case "ExpressionStatement":
			return /^(await )?[\w.]+\(/.test(get(node)) ? whole("dropped call", NOTHING) : [];
		case "CallExpression": {
			const { object, property } = node.callee;
			const isDropped = object !== undefined && DROPPED_METHODS.includes(property.name);
			return isDropped ? [["dropped call", object.end, node.end, ""]] : [];
		}
		default:
			return [];
	}
}

function listSqlChanges({ start, end }, text) {
	return SQL_CHANGES.flatMap(([kind, pattern, replacement]) => {
		const matches = [...text.slice(start, end).matchAll(pattern)];
		return matches.map(({ index, 0: { length } }) => [kind, start + index, start + index + length, replacement]);
	});
}

/** All faults of a file, as entries of the list. */
function listFaults(path) {
	const text = readFileSync(join(root, path), "utf8");
	return parseSource(text, path).body.flatMap((statement) => {
		const name = getDeclaredName(statement);
		const changes = [];
		if (name === undefined) return [];
		walkNodes(statement, text, (node, parent) => changes.push(...listChanges(node, parent, text)));
		return changes.flatMap(([kind, start, end, replacement]) => {
			const from = text.lastIndexOf("\n", start) + 1;
			const to = text.indexOf("\n", end - 1);
			const before = text.slice(from, to).trim();
			const after = `${text.slice(from, start)}${replacement}${text.slice(end, to)}`.trim();
			const own = text.slice(statement.start, statement.end);
			const isUnique = own.split(before).length === 2 && !own.includes(after);
			if (!isUnique || before.split("\n").length > MAX_LINES) return [];
			return [{ file: path, declaration: name, kind, before, after }];
		});
	});
}

/** How many folders two paths begin with alike; infinite for the same path. */
function countSharedFolders(one, other) {
	const parts = other.split("/");
	const at = one.split("/").findIndex((part, index) => part !== parts[index]);
	return at < 0 ? Number.POSITIVE_INFINITY : at;
}

/** Replaces lines of the fault's declaration, and returns the path of its file: that of the list, or the nearest one. */
function replaceLines({ file, declaration }, before, after) {
	const nearest = listSources().sort((one, other) => countSharedFolders(other, file) - countSharedFolders(one, file));
	for (const path of nearest) {
		const text = readFileSync(join(root, path), "utf8");
		if (!text.includes(before)) continue;
		const found = parseSource(text, path).body.find((statement) => getDeclaredName(statement) === declaration);
		const at = found === undefined ? -1 : text.slice(0, found.end).indexOf(before, found.start);
		if (at < 0) continue;
		writeFileSync(join(root, path), text.slice(0, at) + after + text.slice(at + before.length));
		return path;
	}
	throw new Error(`No file has "${declaration}" with the lines: ${before}`);
}

function isCompilable({ file }) {
	const compiler = join(root, "node_modules/typescript/bin/tsc");
	return spawnSync(process.execPath, [compiler, "--noEmit", "-p", file.split("/")[0]], { cwd: root }).status === 0;
}

/** A fault in one of these files that the compiler accepts; each kind is as likely as any other. Undefined if there is none. */
function drawFault(cell, files, seed) {
	const rest = files.flatMap(listFaults);
	for (let attempt = 0; rest.length > 0; attempt++) {
		const kind = drawMember([...new Set(rest.map((fault) => fault.kind))].sort(), seed, cell, attempt);
		const alike = rest.filter((one) => one.kind === kind);
		const [fault] = rest.splice(rest.indexOf(drawMember(alike, seed, cell, attempt, kind)), 1);
		replaceLines(fault, fault.before, fault.after);
		const isUsable = isCompilable(fault);
		replaceLines(fault, fault.after, fault.before);
		if (isUsable) return { cell, ...fault, result: "" };
	}
	return undefined;
}

/** Two layers of each area, five areas of the web interface, and each other folder. */
function drawFaults(seed) {
	const faults = [];
	for (const [area, layers] of Object.entries(groupSources(listSources()))) {
		let missing = area === "web" ? WEB_AREAS : LAYERS_PER_AREA;
		for (const layer of shuffleList(Object.keys(layers).sort(), seed, area)) {
			const fault = missing > 0 ? drawFault(`${area}, ${layer}`, layers[layer], seed) : undefined;
			if (fault === undefined) continue;
			faults.push({ number: faults.length + 1, ...fault });
			missing--;
		}
	}
	return faults;
}

const [command, word] = process.argv.slice(2);
if (command === "draw" && word !== undefined) {
	process.stdout.write(`${JSON.stringify({ seed: word, faults: drawFaults(word) }, null, "\t")}\n`);
} else if (command === "apply" || command === "revert") {
	const fault = JSON.parse(readFileSync(LIST, "utf8")).faults.find(({ number }) => number === Number(word));
	if (fault === undefined) throw new Error(`The list has no fault ${word}.`);
	const [before, after] = command === "apply" ? [fault.before, fault.after] : [fault.after, fault.before];
	process.stdout.write(`${replaceLines(fault, before, after)}\n- ${before}\n+ ${after}\n`);
} else {
	throw new Error("usage: node scripts/plant-faults.mjs draw SEED | apply N | revert N");
}
