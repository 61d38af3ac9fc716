/** Reads the file of an object: its document, or all its errors. */
import {
	APPLY_LIMITS,
	type CalendarEntryContent,
	type ChangePlanContent,
	type ConnectionContent,
	calendarEntryDocument,
	changePlanDocument,
	checkDocument,
	connectionDocument,
	FILE_KINDS,
	type FileKind,
	type Flow,
	queryDocument,
	scheduleDocument,
} from "@weft/contracts";
import type * as z from "zod";
import { AppError } from "../../../core/errors.ts";
import { findInvalidTextPath } from "../../../core/http/input.ts";
import { checkDriftRules, readContent } from "../../queries/flow/index.ts";
import { type CheckContent, computeFingerprint, type QueryContent, type ScheduleContent } from "./documents.ts";
import { joinLayout } from "./layout.ts";
import { type LineError, type ParsedYaml, readYaml } from "./yaml.ts";

/** Lines of the document's members by name. Some kinds have those of elements (`items.2.query`). */
export type Lines = Readonly<Record<string, number>>;

export interface ParsedQuery {
	readonly kind: "query";
	readonly document: QueryContent;
	/** False: the file says nothing about the layout, and the stored one stays. */
	readonly hasLayout: boolean;
	/** See `computeFingerprint`; with the layout if the file has one. */
	readonly fingerprint: string;
	/** Every class of the canvas with the line that names it. */
	readonly classes: readonly { readonly name: string; readonly line: number }[];
	readonly lines: Lines;
}

/** A file that refers to a query and connections. */
interface Referring<Kind extends FileKind, Content> {
	readonly kind: Kind;
	readonly document: Content;
	readonly lines: Lines;
	/** Lines of the connections, in their order. */
	readonly connectionLines: readonly number[];
}
export type ParsedSchedule = Referring<"schedule", ScheduleContent>;
export type ParsedCheck = Referring<"check", CheckContent>;

export interface ParsedConnection {
	readonly kind: "connection";
	readonly document: ConnectionContent;
	readonly lines: Lines;
}

export interface ParsedChangePlan {
	readonly kind: "change_plan";
	readonly document: ChangePlanContent;
	readonly lines: Lines;
}

export interface ParsedCalendarEntry {
	readonly kind: "calendar_entry";
	readonly document: CalendarEntryContent;
	readonly lines: Lines;
}

export type ParsedFile =
	| ParsedQuery
	| ParsedSchedule
	| ParsedCheck
	| ParsedConnection
	| ParsedChangePlan
	| ParsedCalendarEntry;
export type FileResult =
	| { readonly ok: true; readonly file: ParsedFile }
	| { readonly ok: false; readonly errors: readonly LineError[] };

export function readFile(text: string): FileResult {
	const parsed = readYaml(text);
	if (!parsed.ok) return buildFailure(parsed.errors);
	const { yaml } = parsed;
	const badText = findInvalidTextPath(yaml.value);
	if (badText !== null) {
		const line = yaml.getLine(badText.split("."));
		return buildFailure([{ line, message: "Must not contain NUL or unpaired surrogate characters." }]);
	}
	const kind = getKind(yaml);
	if (typeof kind !== "string") return buildFailure([kind]);
	return READERS[kind](yaml);
}

function getKind({ value, getLine }: ParsedYaml): FileKind | LineError {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		return { line: 1, message: `Must be a mapping that begins with kind: and one of ${FILE_KINDS.join(", ")}.` };
	}
	const { kind } = value as { kind?: unknown };
	const known = FILE_KINDS.find((one) => one === kind);
	if (known !== undefined) return known;
	const kinds = FILE_KINDS.join(", ");
	const message =
		kind === undefined ? `The key "kind" is required. Kinds: ${kinds}.` : `Unknown kind. Kinds: ${kinds}.`;
	return { line: getLine(["kind"]), message };
}

function readQuery(yaml: ParsedYaml): FileResult {
	const checked = queryDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind: _kind, layout, ...fields } = checked.data;
	const { nodes, edges, ...rest } = fields.flow_data as Record<string, unknown>;
	if (!Array.isArray(nodes) || !Array.isArray(edges) || Object.keys(rest).length > 0) {
		const message = "Must have the lists nodes and edges, and nothing else. Other fields belong into layout.";
		return buildFailure([{ line: yaml.getLine(["flow_data"]), message: `flow_data: ${message}` }]);
	}
	const flow_data = joinLayout({ nodes, edges }, layout ?? {});
	const document: QueryContent = { ...fields, flow_data };
	const content = checkContent(document, yaml);
	if (!content.ok) return content;
	const { flow } = content;
	const classes = flow.nodes.flatMap((node, index) =>
		node.type === "classNode"
			? [{ name: node.data.className, line: yaml.getLine(["flow_data", "nodes", index, "data", "className"]) }]
			: [],
	);
	const hasLayout = layout !== undefined;
	const fingerprint = computeFingerprint(document, hasLayout);
	const lines = getLines(yaml);
	return { ok: true, file: { kind: "query", document, hasLayout, fingerprint, classes, lines } };
}

function readSchedule(yaml: ParsedYaml): FileResult {
	const checked = scheduleDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind, ...document } = checked.data;
	if (document.controller_connections.length === 0 && !document.connection_group) {
		const message = "controller_connections: Name at least one connection.";
		return buildFailure([{ line: yaml.getLine(["controller_connections"]), message }]);
	}
	return { ok: true, file: { kind, document, ...getReferences(document, yaml) } };
}

function readCheck(yaml: ParsedYaml): FileResult {
	const checked = checkDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind, ...document } = checked.data;
	return { ok: true, file: { kind, document, ...getReferences(document, yaml) } };
}

/** Keys of secrets, which a reader of the file would see. */
const SECRETS = ["password", "private_key", "private_key_passphrase"];

function readConnection(yaml: ParsedYaml): FileResult {
	const secrets = SECRETS.filter((key) => key in (yaml.value as object)).map((key) => ({
		line: yaml.getLine([key]),
		message: `${key}: A file holds no secret. Remove it, and enter it where the connection is edited.`,
	}));
	if (secrets.length > 0) return buildFailure(secrets);
	const checked = connectionDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind, ...document } = checked.data;
	return { ok: true, file: { kind, document, lines: getLines(yaml) } };
}

function readChangePlan(yaml: ParsedYaml): FileResult {
	const checked = changePlanDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind, ...document } = checked.data;
	const lines = { ...getLines(yaml), ...getElementLines(yaml, ["items", "expectations"]) };
	return { ok: true, file: { kind, document, lines } };
}

function readCalendarEntry(yaml: ParsedYaml): FileResult {
	const checked = calendarEntryDocument.safeParse(yaml.value);
	if (!checked.success) return buildFailure(readZodErrors(checked.error, yaml));
	const { kind, ...document } = checked.data;
	const lines = { ...getLines(yaml), ...getElementLines(yaml, ["controller_connections", "connection_groups"]) };
	return { ok: true, file: { kind, document, lines } };
}

const READERS: Readonly<Record<FileKind, (yaml: ParsedYaml) => FileResult>> = {
	query: readQuery,
	schedule: readSchedule,
	check: readCheck,
	connection: readConnection,
	change_plan: readChangePlan,
	calendar_entry: readCalendarEntry,
};

const getReferences = (
	{ controller_connections }: { readonly controller_connections: readonly string[] },
	yaml: ParsedYaml,
): Pick<ParsedSchedule, "lines" | "connectionLines"> => ({
	lines: getLines(yaml),
	connectionLines: controller_connections.map((_, i) => yaml.getLine(["controller_connections", i])),
});

function checkContent(
	document: QueryContent,
	yaml: ParsedYaml,
): { ok: true; flow: Flow } | (FileResult & { ok: false }) {
	const { flow_data, post_processors, variables, drift_rules } = document;
	try {
		checkDriftRules(drift_rules);
		return { ok: true, flow: readContent({ flow_data, post_processors, variables }).flow };
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const errors = Object.entries(error.body).flatMap(([field, messages]) => {
			const path = field.split(".");
			return (messages as string[]).map((message) => ({ line: yaml.getLine(path), message: `${field}: ${message}` }));
		});
		return buildFailure(errors);
	}
}

function readZodErrors(error: z.ZodError, yaml: ParsedYaml): LineError[] {
	return error.issues.flatMap((issue) => {
		const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
		if (issue.code === "unrecognized_keys") {
			return issue.keys.map((key) => ({
				line: yaml.getLine([...path, key]),
				message: `There is no key ${JSON.stringify(key)}.`,
			}));
		}
		const isMissing = issue.code === "invalid_type" && issue.message.endsWith("received undefined");
		const isNoFlag = issue.code === "invalid_type" && issue.expected === "boolean";
		const message = isMissing ? "This key is required." : isNoFlag ? "Must be true or false." : issue.message;
		return { line: yaml.getLine(path), message: path.length === 0 ? message : `${path.join(".")}: ${message}` };
	});
}

function getLines({ value, getLine }: ParsedYaml): Lines {
	return Object.fromEntries(Object.keys(value as object).map((key) => [key, getLine([key])]));
}

/** Lines of the elements of lists, and of the members of elements, such as `items.2.query`. */
function getElementLines({ value, getLine }: ParsedYaml, keys: readonly string[]): Lines {
	const members = value as Readonly<Record<string, readonly unknown[] | undefined>>;
	const paths = keys.flatMap((key) =>
		(members[key] ?? []).flatMap((element, index) => [
			[key, index],
			...(typeof element === "object" && element !== null
				? Object.keys(element).map((name) => [key, index, name])
				: []),
		]),
	);
	return Object.fromEntries(paths.map((path) => [path.join("."), getLine(path)]));
}

/** The line of a field, or of the nearest one above it, or of the document's name. */
export function findLine(lines: Lines, field: string): number {
	for (let path = field; path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf(".")))) {
		const line = lines[path];
		if (line !== undefined) return line;
	}
	return lines.name ?? lines.title ?? 1;
}

/** Errors in the order of their lines, as many as an answer shows of one file. */
function buildFailure(errors: readonly LineError[]): { ok: false; errors: LineError[] } {
	const ordered = [...errors].sort((one, other) => one.line - other.line);
	return { ok: false, errors: ordered.slice(0, APPLY_LIMITS.errorsPerFile) };
}
