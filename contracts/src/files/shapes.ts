/** Objects as files: export, check, apply. See docs/queries-as-code.md. */
import * as z from "zod";
import { calendarEntryInput } from "../calendar/shapes.ts";
import { CALENDAR_LIMITS } from "../calendar/values.ts";
import { checkCreateBody } from "../checks/shapes.ts";
import { defineList } from "../core/bounded.ts";
import { defineTrimmedText } from "../core/common.ts";
import { connectionFileFields } from "../fabrics/connections/shapes.ts";
import { driftRules } from "../history/drift/shapes.ts";
import { DEFAULT_DRIFT_RULES } from "../history/drift/values.ts";
import { savedQueryInput } from "../queries/saved/shapes.ts";
import { taskReplaceFields } from "../schedules/shapes.ts";
import { expectationInput } from "../windows/expectation-shapes.ts";
import { changePlanCreateBody, definePlanItem } from "../windows/plans/shapes.ts";
import { WINDOW_LIMITS } from "../windows/values.ts";
import { APPLY_LIMITS, FILE_ACTIONS, FILE_KINDS } from "./values.ts";

const mapping = z.custom<Record<string, unknown>>(
	(value) => typeof value === "object" && value !== null && !Array.isArray(value),
	"Must be a mapping.",
);

/** A query without installation-specific data (ids, users, history). Its category is a name. */
export const fileQuery = z.object({
	...savedQueryInput.omit({ shared_with: true, category: true, connection_group: true }).shape,
	category: defineTrimmedText(100).nullable().default(null),
	/** A file without them has the default ones. */
	drift_rules: driftRules.default(DEFAULT_DRIFT_RULES),
});
export type FileQuery = z.output<typeof fileQuery>;

const NAME_MAX = 200;
/**
 * The content of a query's file. Its canvas is in two parts: `flow_data` has what decides the
 * result, `layout` the rest by ids of nodes and edges. Without `layout` the stored layout stays.
 */
export const queryDocument = z.strictObject({
	kind: z.literal("query"),
	...fileQuery.shape,
	/** The name of the group that clients run the query on. */
	connection_group: defineTrimmedText(NAME_MAX).nullable().default(null),
	layout: mapping.optional(),
});

const CONNECTIONS_MAX = 50;
const connectionNames = defineList(defineTrimmedText(NAME_MAX), {
	max: CONNECTIONS_MAX,
	tooMany: `Must be at most ${CONNECTIONS_MAX} connections.`,
});
/**
 * The content of a schedule's file: a query and connections by name. Without `status` a new
 * schedule is active and another one keeps its status.
 */
export const scheduleDocument = z.strictObject({
	kind: z.literal("schedule"),
	...taskReplaceFields.omit({ saved_query: true, controller_connection_ids: true, connection_group: true }).shape,
	saved_query: defineTrimmedText(NAME_MAX),
	controller_connections: connectionNames.default([]),
	/** The name of a group, whose members are run, too. */
	connection_group: defineTrimmedText(NAME_MAX).nullish(),
});

/** The content of a check's file; without connections it looks at all that the query runs on. */
export const checkDocument = z.strictObject({
	kind: z.literal("check"),
	...checkCreateBody.omit({ saved_query: true, controller_connection_ids: true }).shape,
	saved_query: defineTrimmedText(NAME_MAX),
	controller_connections: connectionNames.default([]),
});

const REQUIRED = "This key is required.";
/** The content of a connection's file. Its password or private key is entered elsewhere. */
export const connectionDocument = z
	.strictObject({ kind: z.literal("connection"), ...connectionFileFields.shape })
	.refine(({ auth_method, username }) => auth_method !== "password" || username !== undefined, {
		path: ["username"],
		error: REQUIRED,
	})
	.refine(({ auth_method, certificate_dn }) => auth_method !== "certificate" || typeof certificate_dn === "string", {
		path: ["certificate_dn"],
		error: REQUIRED,
	});

export type ConnectionContent = Omit<z.output<typeof connectionDocument>, "kind">;

/** The content of a change plan's file: its items have queries and checks by name. */
export const changePlanDocument = z.strictObject({
	kind: z.literal("change_plan"),
	...changePlanCreateBody.shape,
	items: defineList(definePlanItem(defineTrimmedText(NAME_MAX)), {
		max: WINDOW_LIMITS.items,
		tooMany: `Must have at most ${WINDOW_LIMITS.items} items.`,
	}).min(1, "Needs at least one item."),
	expectations: defineList(
		expectationInput.omit({ connection_ids: true }).extend({
			/** Null: on every connection of the window. */
			controller_connections: connectionNames.nullable().default(null),
		}),
		{
			max: WINDOW_LIMITS.expectations,
			tooMany: `Must have at most ${WINDOW_LIMITS.expectations} expectations.`,
		},
	).default([]),
});
export type ChangePlanContent = Omit<z.output<typeof changePlanDocument>, "kind">;

/**
 * The content of a calendar entry's file: `entry_kind` is the kind of the entry, because `kind` is
 * the file's. Without connections and groups the entry is for all connections.
 */
export const calendarEntryDocument = z.strictObject({
	kind: z.literal("calendar_entry"),
	...calendarEntryInput.omit({ kind: true, controller_connection_ids: true, connection_group_ids: true }).shape,
	entry_kind: calendarEntryInput.shape.kind,
	controller_connections: connectionNames.default([]),
	connection_groups: defineList(defineTrimmedText(NAME_MAX), {
		max: CALENDAR_LIMITS.connections,
		tooMany: `Must be at most ${CALENDAR_LIMITS.connections} groups.`,
	}).default([]),
});
export type CalendarEntryContent = Omit<z.output<typeof calendarEntryDocument>, "kind">;

export const queryFile = z.object({
	path: z
		.string()
		.min(1, "Must not be empty.")
		.max(APPLY_LIMITS.pathLength, `Must have at most ${APPLY_LIMITS.pathLength} characters.`),
	content: z
		.string()
		.max(APPLY_LIMITS.fileLength, `Must have at most ${APPLY_LIMITS.fileLength.toLocaleString("en")} characters.`),
});
export type QueryFile = z.output<typeof queryFile>;

const files = defineList(queryFile, {
	max: APPLY_LIMITS.files,
	tooMany: `Must have at most ${APPLY_LIMITS.files} files.`,
});

export const validateFilesInput = z.object({ files });
export const applyInput = z.object({
	files,
	/** Answers with the plan and changes nothing. */
	dry_run: z.boolean().default(false),
	/** Deletes the caller's own queries, schedules and checks without a file; nothing else. */
	prune: z.boolean().default(false),
});
export type ApplyInput = z.output<typeof applyInput>;

export const fileChange = z.object({
	/** Of a deleted object the path that it had in an export. */
	path: z.string(),
	kind: z.enum(FILE_KINDS),
	/** Of a calendar entry its title. */
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

export const queryFilesAnswer = z.object({ files: z.array(z.object({ path: z.string(), content: z.string() })) });
