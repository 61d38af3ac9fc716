/** Reads expectations from files, requests and earlier windows. */
import type { ExpectationImport, InputData } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import type { TemplateSnapshot } from "../automation/jobs/request/content.ts";
import { getRows } from "../automation/jobs/rules/row-forms.ts";
import { findShownRequest, type ShownRequest } from "../automation/jobs/sql/requests.ts";
import { presentFinding } from "./present.ts";
import { findVisibleWindow } from "./read-window.ts";
import { buildFindingExpectations } from "./rules/import-findings.ts";
import { ImportError, type Imported } from "./rules/import-result.ts";
import { buildRowExpectations } from "./rules/import-rows.ts";
import { importTerraform } from "./rules/import-terraform.ts";
import { importYaml } from "./rules/import-yaml.ts";
import { listAllFindings } from "./sql/findings.ts";
import { findShownWindow, type ShownWindow } from "./sql/windows.ts";

/** @throws 400 under the field that is missing or not valid */
export async function readImport(
	ctx: Context,
	caller: Caller,
	window: ShownWindow,
	{ format, content, request: requestId, window: earlierId }: ExpectationImport,
): Promise<Imported> {
	switch (format) {
		case "yaml":
			return readContent(content, importYaml);
		case "terraform": {
			const model = await ctx.classModel();
			const findRnFormat = (className: string) => model?.find(className)?.rnFormat || undefined;
			return readContent(content, (text) => importTerraform(text, findRnFormat));
		}
		case "request":
			return readRequestRows(ctx, caller, requestId);
		case "comparison":
			return readFindings(ctx, caller, window, earlierId);
	}
}

function readContent(content: string | undefined, read: (content: string) => Imported): Imported {
	if (content === undefined) throw buildFieldError("content", "Is required: the text of the file.");
	try {
		return read(content);
	} catch (error) {
		if (!(error instanceof ImportError)) throw error;
		throw buildFieldError("content", error.message);
	}
}

/** Builds expectations from the approved rows. The values contain no passwords. */
async function readRequestRows(ctx: Context, caller: Caller, id: string | undefined): Promise<Imported> {
	if (id === undefined) throw buildFieldError("request", "Is required: the id of an automation request.");
	const request = await findShownRequest(ctx.store.db, caller, id);
	if (request === undefined) throw buildFieldError("request", "There is no such automation request that you can see.");
	if (request.status === "awaiting_approval" || request.status === "rejected")
		throw buildFieldError("request", "The request is not approved: its rows declare nothing yet.");
	const { expects = [] } = request.template_snapshot as TemplateSnapshot;
	if (expects.length === 0)
		throw buildFieldError("request", "The template does not say what its rows change. Add expectations to it.");
	return buildRequestExpectations(request);
}

/** What the rows of a request declare by its template: nothing where that does not say. */
export function buildRequestExpectations(request: Pick<ShownRequest, "template_snapshot" | "input_data">): Imported {
	const { columns, expects = [] } = request.template_snapshot as TemplateSnapshot;
	return buildRowExpectations(expects, getRows(columns, request.input_data as InputData).flat());
}

/** Builds expectations from the findings of an earlier window on other connections. */
async function readFindings(
	ctx: Context,
	caller: Caller,
	window: ShownWindow,
	earlierId: string | undefined,
): Promise<Imported> {
	if (earlierId === undefined) throw buildFieldError("window", "Is required: the id of an earlier change window.");
	if (earlierId === window.id) throw buildFieldError("window", "A change window cannot expect its own findings.");
	const earlier = await findShownWindow(ctx.store.db, caller, earlierId);
	if (earlier === undefined) throw buildFieldError("window", "There is no such change window that you can see.");
	if (earlier.verdict === null) throw buildFieldError("window", "The change window has not been judged.");
	if (earlier.visible_ids.some((id) => window.visible_ids.includes(id)))
		throw buildFieldError("window", "Must be of other connections: on the same one it says nothing new.");
	const { title } = await findVisibleWindow(ctx.store.db, caller, earlierId);
	const findings = (await listAllFindings(ctx.store.db, earlierId, earlier.visible_ids)).map(presentFinding);
	return buildFindingExpectations(findings, `As in "${title}"`);
}
