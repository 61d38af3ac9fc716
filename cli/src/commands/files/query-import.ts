/** `weft query from-url`: requests that people have in scripts and collections, as queries. */
import type { ImportedRequest, QueryFile, RequestImportInput } from "@weft/contracts";
import { queryFileRoutes, REQUEST_IMPORT_LIMITS, requestImportRoutes } from "@weft/contracts/browser";
import { buildSlug } from "@weft/contracts/slug";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { Column, View } from "../../output.ts";
import { reportFileErrors } from "./file-errors.ts";

const LIMITS = REQUEST_IMPORT_LIMITS;
/** UTF-8 bytes per character at most. */
const BYTES_PER_CHARACTER = 4;
const NAME_MAX = 200;

interface Imported extends ImportedRequest {
	/** Path of the written file, relative to `--out`. */
	readonly path?: string;
}

const NAME: Column<Imported> = { title: "name", value: ({ name }) => name };
const SOURCE: Column<Imported> = { title: "source", value: ({ source }) => source };
const PATH: Column<Imported> = { title: "path", value: ({ path }) => path };
const getView = (...columns: readonly Column<Imported>[]): View<Imported> => ({
	name: "query from-url",
	columns,
	failure: ({ unsupported }) => (unsupported.length === 0 ? null : unsupported.join("\n")),
});

interface ImportOptions {
	readonly collection?: string | undefined;
	readonly out?: string | undefined;
	readonly save?: true | undefined;
}

export const registerQueryImport: Register = (program, run) => {
	const noun = getNoun(program, "query", "Saved queries and their runs.");
	const command = noun
		.command("from-url")
		.description(
			"Turn requests to a controller into queries. Ends with 1 if a part of a request is left out, with 2 if no request can be a query.",
		)
		.argument("[request]", "URL, or a moquery, icurl or curl command; - for lines on standard input")
		.option("--collection <file>", "Postman collection of format 2.1")
		.option("--out <dir>", "write the queries as files to queries/ below the folder")
		.option("--save", "save the queries")
		.action(run(importAll));
	addExamples(
		command,
		"weft query from-url 'https://apic/api/class/fvTenant.json' --format json",
		`weft query from-url "moquery -c fvBD -f 'fv.BD.name*\\"prod\\"'" --save`,
		"grep moquery audit.sh | weft query from-url - --out fabric",
		"weft query from-url --collection apic.postman_collection.json --out fabric",
	);
};

async function importAll(context: Context, request: string | undefined, options: ImportOptions): Promise<void> {
	const { out, save } = options;
	if (out !== undefined && save) throw buildInputError("Give --out or --save, and not both.");
	const body = await findInput(context, request, options.collection);
	const client = await context.client();
	const { results } = await client.call(requestImportRoutes.import, { body }, { isSafe: true });
	const requests = withNames(results);
	const files = await listFiles(requests);
	if (out !== undefined && files.size > 0) {
		const { writeFiles } = await import("./file-folder.ts");
		await writeFiles(out, [...files.values()], { mayReplace: false });
	}
	if (save && files.size > 0) await saveAll(context, files);
	const shown = requests.map((one): Imported => {
		const path = out === undefined ? undefined : files.get(one)?.path;
		return path === undefined ? one : { ...one, path };
	});
	await context.output.list(shown, out === undefined ? getView(NAME, SOURCE) : getView(NAME, PATH, SOURCE));
	for (const { name, source, unsupported } of requests)
		for (const sentence of unsupported) context.note(`${name || source}: ${sentence}`);
	if (files.size === 0) throw buildInputError("None of the requests can be a query.");
	const partial = requests.filter(({ unsupported }) => unsupported.length > 0).length;
	if (partial > 0)
		throw new CliError(EXIT.finding, `${partial} of ${requests.length} requests are not represented whole.`);
}

async function findInput(
	{ input }: Context,
	request: string | undefined,
	collection: string | undefined,
): Promise<RequestImportInput> {
	if ((request === undefined) === (collection === undefined))
		throw buildInputError("Give a request, - for standard input, or --collection FILE.");
	if (collection === undefined) {
		const isPiped = request === "-";
		const text = isPiped ? (await input.readAll(LIMITS.text * BYTES_PER_CHARACTER)).toString("utf8") : request;
		return { text };
	}
	const { readTextFile } = await import("./file-folder.ts");
	const text = await readTextFile(collection, { maxLength: LIMITS.body, maxBytes: LIMITS.body, mayFollow: true });
	if (typeof text !== "string") throw buildInputError(`${collection}: ${text.problem}`);
	try {
		return { collection: JSON.parse(text) };
	} catch (error) {
		throw buildInputError(`${collection} is no JSON: ${(error as SyntaxError).message}.`);
	}
}

/** Each name once: names of queries are unique. */
function withNames(results: readonly ImportedRequest[]): ImportedRequest[] {
	const used = new Set<string>();
	return results.map((one) => {
		if (one.flow_data === null) return one;
		let { name } = one;
		for (let number = 2; used.has(name); number++)
			name = `${one.name.slice(0, NAME_MAX - 1 - String(number).length)} ${number}`;
		used.add(name);
		return { ...one, name };
	});
}

/** The files of the requests that have a canvas. */
async function listFiles(requests: readonly ImportedRequest[]): Promise<Map<ImportedRequest, QueryFile>> {
	const { stringify } = await import("yaml");
	const files = new Map<ImportedRequest, QueryFile>();
	const used = new Set<string>();
	for (const one of requests) {
		const { name, flow_data, variables } = one;
		if (flow_data === null) continue;
		const slug = buildSlug(name);
		let path = `queries/${slug}.yaml`;
		for (let number = 2; used.has(path); number++) path = `queries/${slug}-${number}.yaml`;
		used.add(path);
		// Leaves out ids of edges that follow from their ends, as an export does.
		const edges = (flow_data.edges as Record<string, unknown>[]).map(({ id, source, target, ...rest }) => ({
			...(id === `${source}-${target}` ? {} : { id }),
			source,
			target,
			...rest,
		}));
		const document = { kind: "query", flow_data: { edges, nodes: flow_data.nodes }, name, variables };
		files.set(one, { path, content: stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }) });
	}
	return files;
}

/** Saves all queries or none, and changes none that there is. */
async function saveAll({ client: open }: Context, files: ReadonlyMap<ImportedRequest, QueryFile>): Promise<void> {
	const client = await open();
	const names = new Map([...files].map(([{ name }, { path }]) => [path, name]));
	const body = { files: [...files.values()] };
	try {
		const { changes } = await client.call(queryFileRoutes.validate, { body }, { isSafe: true });
		const known = changes.filter(({ action }) => action !== "created").map(({ name }) => `"${name}"`);
		if (known.length > 0)
			throw buildInputError(`Nothing was saved: you have ${known.join(", ")} already. Rename them, or use --out.`);
		await client.call(queryFileRoutes.apply, { body });
	} catch (error) {
		throw reportFileErrors(error, (path) => names.get(path) ?? path, "Nothing was saved.") ?? error;
	}
}
