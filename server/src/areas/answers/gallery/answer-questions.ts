/** Lists questions, runs one on connections, and saves one as a query of the caller. */
import {
	type Check,
	type GroupExecution,
	type Question,
	type QuestionListQuery,
	type QuestionRunBody,
	type QuestionSaveBody,
	type QuestionWatchBody,
	type SavedQuery,
	savedQueryInput,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { AppError, buildInvalidError, buildNotFoundError, type FieldErrors } from "../../../core/errors.ts";
import { getOffset, paginateRows } from "../../../core/http/paging.ts";
import { saveWatchedCheck } from "../../checks/save-watched-check.ts";
import { createSavedQuery } from "../../queries/saved/manage-queries.ts";
import { readQueryProgram } from "../../runs/background/start-background-runs.ts";
import { createGroupRun } from "../../runs/groups/manage-group-runs.ts";
import { searchQuestions } from "./rules/search-questions.ts";

/** Fields of a group run by the names that a question has for them. */
const FIELDS: Readonly<Record<string, string>> = {
	connection_ids: "controller_connection_ids",
	connection_group: "connection_group_id",
};

export async function listQuestions(ctx: Context, filter: QuestionListQuery, url: string) {
	const { search, category } = filter;
	const all = await ctx.areas.gallery.questions();
	const found = search === undefined ? all : searchQuestions(all, search);
	const rows = category === undefined ? found : found.filter(({ categories }) => categories.includes(category));
	const start = getOffset(filter);
	const page = { count: rows.length, rows: rows.slice(start, start + filter.page_size) };
	return paginateRows(url, filter, page, (row) => row);
}

/** @throws 404 for an unknown key */
async function findQuestion(ctx: Context, key: string): Promise<Question> {
	const found = (await ctx.areas.gallery.questions()).find((question) => question.key === key);
	if (found === undefined) throw buildNotFoundError("There is no such question.");
	return found;
}

/**
 * Runs the question as an unsaved canvas.
 * @throws 400 for a missing variable or an unknown connection
 */
export async function runQuestion(
	ctx: Context,
	caller: Caller,
	key: string,
	{ controller_connection_ids, connection_group_id, variable_values, idempotency_key }: QuestionRunBody,
): Promise<GroupExecution> {
	const { question, flow_data, post_processors, variables } = await findQuestion(ctx, key);
	const input = {
		flow_data,
		post_processors,
		variables,
		connection_ids: controller_connection_ids,
		connection_group: connection_group_id,
		variable_values: variable_values ?? {},
		idempotency_key,
	};
	return createGroupRun(ctx, caller, input, question).catch((error: unknown) => {
		throw error instanceof AppError && error.status === 400 ? renameFields(error, variables) : error;
	});
}

/** The same messages under the fields of this route, those of variables under one field. */
function renameFields(error: AppError, variables: Question["variables"]): AppError {
	if ("detail" in error.body) return error;
	const fields: FieldErrors = {};
	for (const [path, messages] of Object.entries(error.body)) {
		const [root = "", id] = path.split(".");
		const label = variables.find((variable) => variable.id === id)?.label ?? id;
		const list = Array.isArray(messages) ? messages : [messages];
		const field = FIELDS[path] ?? root;
		const shown = id === undefined ? list : list.map((message) => `${label} (${id}): ${message}`);
		fields[field] = [...(fields[field] ?? []), ...shown];
	}
	return buildInvalidError(fields);
}

export async function saveQuestion(
	ctx: Context,
	caller: Caller,
	key: string,
	{ name, enable_time_machine }: QuestionSaveBody,
): Promise<SavedQuery> {
	const { description, flow_data, post_processors, variables } = await findQuestion(ctx, key);
	const content = { description, flow_data, post_processors, variables };
	return createSavedQuery(ctx, caller, savedQueryInput.parse({ name, enable_time_machine, ...content }));
}

/**
 * Saves the question as a query of the caller with snapshots, and what watches it.
 * @throws 400 for a missing variable, a taken name, and by field of the check and the schedule
 */
export async function watchQuestion(
	ctx: Context,
	caller: Caller,
	key: string,
	{ name, schedule, notify, variable_values, ...fields }: QuestionWatchBody,
): Promise<Check> {
	const { description, flow_data, post_processors, variables } = await findQuestion(ctx, key);
	const answered = answerVariables({ flow_data, post_processors, variables }, variable_values ?? {});
	return saveWatchedCheck(ctx, caller, {
		id: ctx.ids.uuid(),
		query: { name, description, flow_data, post_processors, variables: answered, enable_time_machine: true },
		check: { name, description, ...fields, ...(notify === undefined ? {} : { notify }) },
		schedule,
		isQueryReused: false,
		nameField: "name",
	});
}

/** The variables with the values as their defaults. */
function answerVariables(
	{ flow_data, post_processors, variables }: Pick<Question, "flow_data" | "post_processors" | "variables">,
	values: Readonly<Record<string, unknown>>,
): Question["variables"] {
	try {
		readQueryProgram({ flowData: flow_data, postProcessors: post_processors, variables }, values);
	} catch (error) {
		throw error instanceof AppError && error.status === 400 ? renameFields(error, variables) : error;
	}
	return variables.map((variable) => {
		const value = values[variable.id];
		return typeof value === "string" || typeof value === "number" ? { ...variable, defaultValue: value } : variable;
	});
}
