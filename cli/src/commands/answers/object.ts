/** `weft object`: one object of a connection. */
import type { ObjectAttribute } from "@weft/contracts";
import { objectRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { addExamples, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { listConnections } from "../fabrics/connection.ts";

interface ObjectOptions {
	readonly connection: string;
	readonly live?: true | undefined;
}

const ATTRIBUTES: View<ObjectAttribute> = {
	name: "object",
	columns: [
		{ title: "attribute", value: ({ name }) => name },
		{ title: "value", value: ({ value }) => value },
		{ title: "kind", value: ({ kind }) => kind },
	],
};

export const registerObject: Register = (program, run) => {
	const object = program
		.command("object")
		.description("Show an object; in JSON and YAML with its changes, relations, checks and the same elsewhere.")
		.argument("<dn>", "such as uni/tn-prod/BD-web")
		.requiredOption("--connection <name>", "connection of the object")
		.option("--live", "ask the controller first")
		.action(run(printObject));
	addExamples(
		object,
		"weft object uni/tn-prod/BD-web --connection fab-1",
		"weft object uni/tn-prod/BD-web --connection fab-1 --live --format json",
	);
};

async function printObject(context: Context, dn: string, { connection: name, live }: ObjectOptions): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(listConnections(client), name);
	const query = { connection: id, dn, ...(live && { live: "1" as const }) };
	const answer = await client.call(objectRoutes.detail, { query });
	if (answer.live?.error) context.note(`The controller: ${answer.live.error}`);
	await context.output.parts(answer, answer.attributes, ATTRIBUTES);
}
