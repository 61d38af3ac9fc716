/** `weft change expect`: the expectations of a change window. */
import type { Expectation, ExpectationImport } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { getRequests } from "../automation/automation.ts";
import { importExpectations, readExpectations } from "./expectation-files.ts";
import { findWindow, NOUN } from "./windows.ts";

const EXPECTATIONS: View<Expectation> = {
	name: "expectations",
	columns: [
		{ title: "change", value: ({ change }) => change },
		{ title: "class", value: ({ class_name }) => class_name },
		{ title: "dn", value: ({ dn }) => (typeof dn === "string" ? dn : `regex ${dn.regex}`) },
		{ title: "attributes", value: ({ attributes }) => (attributes === null ? null : Object.keys(attributes)) },
		{ title: "required", value: ({ required }) => required },
		{ title: "source", value: ({ source }) => source },
		{ title: "late", value: ({ late }) => late },
		{ title: "note", value: ({ note }) => note },
	],
};

interface ExpectOptions {
	readonly file?: string | undefined;
	readonly terraform?: string | undefined;
	readonly request?: string | undefined;
	readonly from?: string | undefined;
}

export const registerChangeExpect: Register = (program, run) => {
	const expect = getNoun(program, "change", NOUN)
		.command("expect")
		.description(
			"List the changes that a window expects, after those of a file, a request or an earlier window are added. " +
				"Expectations that are added after the start are late: they count as a warning.",
		)
		.argument("<window>", "ticket or id")
		.option("--file <file>", "YAML list of expectations; - for standard input")
		.option("--terraform <file>", "output of terraform show -json; - for standard input")
		.option("--request <name>", "approved request of automation, whose rows are expected")
		.option("--from <window>", "earlier window on other connections, whose findings are expected again")
		.action(run(expectChanges));
	addExamples(expect, "weft change expect CHG0031337", "weft change expect CHG0031337 --file expected.yaml");
};

async function expectChanges(context: Context, name: string, options: ExpectOptions): Promise<void> {
	const client = await context.client();
	const { id } = await findWindow(client, name);
	const { file, terraform, request, from } = options;
	const imports: ExpectationImport[] = [];
	if (file !== undefined) imports.push(await readExpectations(context, file, "yaml"));
	if (terraform !== undefined) imports.push(await readExpectations(context, terraform, "terraform"));
	if (request !== undefined)
		imports.push({ format: "request", request: (await resolveNameOrId(getRequests(client), request)).id });
	if (from !== undefined) imports.push({ format: "comparison", window: (await findWindow(client, from)).id });
	for (const body of imports) await importExpectations(context, client, id, body);
	const { expectations } = await client.call(changeWindowRoutes.expectations, { params: { id } });
	await context.output.list(expectations, EXPECTATIONS);
}
