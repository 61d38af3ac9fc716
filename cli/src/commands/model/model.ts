/** `weft model`. */

import { Option } from "@commander-js/extra-typings";
import type { ClassDetail, DnAnswer, PathAnswer, SearchHit } from "@weft/contracts";
import { mimRoutes, mimToolRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { requireCount } from "../../times.ts";
import { requireModel, withNearClasses } from "./near-classes.ts";

const HITS: View<SearchHit> = {
	name: "model search",
	columns: [
		{ title: "type", value: ({ type }) => type },
		{ title: "name", value: (hit) => (hit.class === undefined ? hit.name : `${hit.class}.${hit.name}`) },
		{ title: "label", value: ({ display_name }) => display_name },
		{ title: "match", value: ({ match }) => match },
		{ title: "score", value: ({ score }) => score.toFixed(2) },
	],
};

const CLASS: View<ClassDetail> = {
	name: "model class",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "label", value: ({ display_name }) => display_name },
		{ title: "description", value: ({ description }) => description },
		{ title: "dn_format", value: ({ dn_format }) => dn_format },
		{ title: "identified_by", value: ({ identified_by }) => identified_by },
		{ title: "configurable", value: ({ is_configurable }) => is_configurable },
		{ title: "super_classes", value: ({ super_classes }) => super_classes },
		{ title: "versions", value: ({ versions }) => versions },
		{ title: "properties", value: ({ properties }) => properties.map(({ name }) => name) },
	],
};

const PARTS: View<DnAnswer["parts"][number]> = {
	name: "model dn",
	columns: [
		{ title: "rn", value: ({ rn }) => rn },
		{ title: "class", value: ({ class: found }) => found?.name },
		{ title: "naming", value: ({ naming }) => Object.entries(naming).map(([name, value]) => `${name}=${value}`) },
		{ title: "dn", value: ({ dn }) => dn },
	],
};

type Path = PathAnswer["paths"][number];
const PATHS: View<Path> = {
	name: "model path",
	columns: [
		{ title: "steps", value: (path) => path.length - 1 },
		{
			title: "path",
			value: (path) => path.map(({ name, way }) => (way === null ? name : `${way} ${name}`)).join(", "),
		},
	],
};

export const registerModel: Register = (program, run) => {
	const noun = getNoun(program, "model", "The class model of the controllers.");
	addExamples(noun, "weft model search bridge domain", "weft model class fvBD");
	const search = noun
		.command("search")
		.description("Search classes, properties and packages.")
		.argument("<text...>", "a name, a label, or a part of a DN")
		.addOption(new Option("--type <type>", "those of the type").choices(["class", "property", "package"] as const))
		.option("--limit <count>", "matches at most", "25")
		.action(run(searchModel));
	addExamples(search, "weft model search bridge domain", "weft model search fvBD --type class --limit 5");
	const detail = noun
		.command("class")
		.description("Show a class.")
		.argument("<class>", "name such as fvBD")
		.action(run(showClass));
	addExamples(detail, "weft model class fvBD", "weft model class fvBD --format json");
	const dn = noun
		.command("dn")
		.description("Show the classes and naming values of a DN.")
		.argument("<dn>", "distinguished name")
		.action(run(showDn));
	addExamples(dn, "weft model dn uni/tn-prod/BD-web");
	const path = noun
		.command("path")
		.description("Show the shortest paths from one class to another. Ends with 1 if there is none.")
		.argument("<from>", "class")
		.argument("<to>", "class")
		.addOption(
			new Option("--over <kind>", "what a path may use")
				.choices(["containment", "relations", "both"] as const)
				.default("both" as const),
		)
		.option("--limit <count>", "paths at most", "5")
		.action(run(showPaths));
	addExamples(path, "weft model path fvAEPg fvCtx", "weft model path fvTenant fvSubnet --over containment");
};

interface SearchOptions {
	readonly type?: SearchHit["type"] | undefined;
	readonly limit: string;
}

async function searchModel(
	{ client, output }: Context,
	words: readonly string[],
	{ type, limit }: SearchOptions,
): Promise<void> {
	const query = {
		q: words.join(" "),
		limit: String(requireCount("--limit", limit, 200)),
		...(type === undefined ? {} : { type }),
	};
	const weft = await client();
	const { results } = await weft.call(mimRoutes.search, { query });
	if (results.length === 0) await requireModel(weft);
	await output.list(results, HITS);
}

async function showClass({ client: open, output }: Context, name: string): Promise<void> {
	const client = await open();
	const read = () => client.call(mimRoutes.detail, { params: { class_name: name } });
	await output.one(await withNearClasses(client, [name], read), CLASS);
}

async function showDn(context: Context, dn: string): Promise<void> {
	const { client, output } = context;
	const answer = await (await client()).call(mimToolRoutes.dn, { query: { dn } });
	for (const warning of answer.warnings) context.note(warning);
	await output.parts(answer, answer.parts, PARTS);
}

interface PathOptions {
	readonly over: "containment" | "relations" | "both";
	readonly limit: string;
}

async function showPaths(context: Context, from: string, to: string, { over, limit }: PathOptions): Promise<void> {
	const client = await context.client();
	const query = { from, to, over, limit: String(requireCount("--limit", limit, 50)) };
	const answer = await withNearClasses(client, [from, to], () => client.call(mimToolRoutes.path, { query }));
	await context.output.parts(answer, answer.paths, PATHS);
	if (answer.paths.length === 0) throw new CliError(EXIT.finding, `There is no path from ${from} to ${to}.`);
}
