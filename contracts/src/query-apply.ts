/** Queries, schedules and checks as files: export, check, apply. See docs/queries-as-code.md. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { checkCreateBody } from "./checks.ts";
import { trimmed } from "./common.ts";
import { exchangedQuery } from "./query-exchange.ts";
import { route } from "./route.ts";
import { taskReplaceFields } from "./schedules.ts";

const common = { auth: "bearer", throttle: "user" } as const;

export const APPLY_LIMITS = {
	files: 5_000,
	pathLength: 500,
	/** Characters of one file. */
	fileLength: 1024 * 1024,
	/** Bytes of a request. */
	body: 32 * 1024 * 1024,
	/** Bytes of a request with one file. */
	fileBody: 8 * 1024 * 1024,
	/** Errors of an answer, and of one file in it. */
	errors: 200,
	errorsPerFile: 20,
} as const;
const LIMITS = APPLY_LIMITS;

export const FILE_KINDS = ["query", "schedule", "check"] as const;
export type FileKind = (typeof FILE_KINDS)[number];
export const FILE_ACTIONS = ["created", "updated", "unchanged", "deleted"] as const;

const mapping = z.custom<Record<string, unknown>>(
	(value) => typeof value === "object" && value !== null && !Array.isArray(value),
	"Must be a mapping.",
);

const NAME_MAX = 200;
/**
 * The content of a query's file. Its canvas is in two parts: `flow_data` has what decides the
 * result, `layout` the rest by ids of nodes and edges. Without `layout` the stored layout stays.
 */
export const queryDocument = z.strictObject({
	kind: z.literal("query"),
	...exchangedQuery.shape,
	/** The name of the group that clients run the query on. */
	connection_group: trimmed(NAME_MAX).nullable().default(null),
	layout: mapping.optional(),
});

const CONNECTIONS_MAX = 50;
/**
 * The content of a schedule's file: a query and connections by name. Without `status` a new
 * schedule is active and another one keeps its status.
 */
export const scheduleDocument = z.strictObject({
	kind: z.literal("schedule"),
	...taskReplaceFields.omit({ saved_query: true, controller_connection_ids: true, connection_group: true }).shape,
	saved_query: trimmed(NAME_MAX),
	controller_connections: listOf(trimmed(NAME_MAX), {
		max: CONNECTIONS_MAX,
		tooMany: `Must be at most ${CONNECTIONS_MAX} connections.`,
	}).default([]),
	/** The name of a group, whose members are run, too. */
	connection_group: trimmed(NAME_MAX).nullish(),
});

/** The content of a check's file; without connections it looks at all that the query runs on. */
export const checkDocument = z.strictObject({
	kind: z.literal("check"),
	...checkCreateBody.omit({ saved_query: true, controller_connection_ids: true }).shape,
	saved_query: trimmed(NAME_MAX),
	controller_connections: listOf(trimmed(NAME_MAX), {
		max: CONNECTIONS_MAX,
		tooMany: `Must be at most ${CONNECTIONS_MAX} connections.`,
	}).default([]),
});

const queryFile = z.object({
	path: z
		.string()
		.min(1, "Must not be empty.")
		.max(LIMITS.pathLength, `Must have at most ${LIMITS.pathLength} characters.`),
	content: z.string().max(LIMITS.fileLength, `Must have at most ${LIMITS.fileLength.toLocaleString("en")} characters.`),
});
export type QueryFile = z.output<typeof queryFile>;

const files = listOf(queryFile, { max: LIMITS.files, tooMany: `Must have at most ${LIMITS.files} files.` });

export const validateFilesInput = z.object({ files });
export const applyInput = z.object({
	files,
	/** Answers with the plan and changes nothing. */
	dry_run: z.boolean().default(false),
	/** Deletes the caller's own queries, schedules and checks that no file describes. */
	prune: z.boolean().default(false),
});
export type ApplyInput = z.output<typeof applyInput>;

export const fileChange = z.object({
	/** Of a deleted object the path that it had in an export. */
	path: z.string(),
	kind: z.enum(FILE_KINDS),
	name: z.string(),
	action: z.enum(FILE_ACTIONS),
});
export type FileChange = z.infer<typeof fileChange>;
/** The changes in the order of the files, then the deletions. */
export const applyAnswer = z.object({ changes: z.array(fileChange) });

export const fileError = z.object({
	path: z.string(),
	/** From 1 on. */
	line: z.int(),
	message: z.string(),
});
export type FileError = z.infer<typeof fileError>;
/** Everything that is wrong with the files; also a body by field, as of other routes. */
const refused = z.union([z.object({ errors: z.array(fileError) }), z.record(z.string(), z.array(z.unknown()))]);

export const queryFilesAnswer = z.object({ files: z.array(z.object({ path: z.string(), content: z.string() })) });

export const queryFileRoutes = {
	export: route({
		...common,
		id: "query_files.export",
		method: "GET",
		path: "/api/queries/export-files/",
		summary: "The caller's own queries, schedules and checks as YAML files, one per object",
		permission: "view_savedquery",
		audit: { none: "read" },
		answers: { 200: queryFilesAnswer },
	}),
	validate: route({
		...common,
		id: "query_files.validate",
		method: "POST",
		path: "/api/queries/validate-files/",
		summary: "Check files and list what applying them would change; needs no right to change anything",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: validateFilesInput,
		bodyLimit: LIMITS.body,
		answers: { 200: applyAnswer, 400: refused },
	}),
	read: route({
		...common,
		id: "query_files.read",
		method: "POST",
		path: "/api/queries/read-file/",
		summary: "The query that a file describes, so that it can be run without being saved; changes nothing",
		permission: "view_savedquery",
		audit: { none: "changes nothing" },
		body: queryFile,
		bodyLimit: LIMITS.fileBody,
		answers: { 200: exchangedQuery, 400: refused },
	}),
	apply: route({
		...common,
		id: "query_files.apply",
		method: "POST",
		path: "/api/queries/apply/",
		summary: "Make the caller's queries, schedules and checks those of the files, all or nothing",
		permission: "view_savedquery",
		audit: { category: "query_management", action: "query_apply" },
		body: applyInput,
		bodyLimit: LIMITS.body,
		answers: { 200: applyAnswer, 400: refused },
	}),
} as const;
