/** From a name or an id to an object. */
import { WeftError } from "@weft/sdk";
import { distance } from "fastest-levenshtein";
import { buildInputError } from "./errors.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);

/** Names that are shown for an unknown one. */
const NEAR = 3;
/** Objects among which a name is looked for. */
const LISTED = 10_000;
/** Characters of a search that the service takes. */
const SEARCH_MAX = 200;

export interface Named {
	readonly id: string;
	readonly name: string;
}

/** A kind of objects with names. */
export interface Collection<T extends Named, Detail extends { readonly id: string } = T> {
	/** Such as `query`. */
	readonly kind: string;
	/** Those whose name contains the text, and perhaps others; all without a text. */
	list(search?: string): AsyncIterable<T>;
	/** @throws WeftError 404 */
	byId(id: string): Promise<Detail>;
}

/**
 * The object with the id, or the only one with the name. Upper and lower case are the same unless
 * two names differ in it alone.
 * @throws CliError for an unknown name or id, and for a name that several have
 */
export async function resolveNameOrId<T extends Named, Detail extends { readonly id: string }>(
	{ kind, list, byId }: Collection<T, Detail>,
	text: string,
): Promise<Detail> {
	if (isUuid(text)) {
		return byId(text).catch((error: unknown) => {
			if (error instanceof WeftError && error.status === 404)
				throw buildInputError(`There is no ${kind} with the id ${text}.`);
			throw error;
		});
	}
	const found = withName(await limitList(LISTED, list(text.slice(0, SEARCH_MAX))), text);
	const [first, ...others] = found;
	if (others.length > 0)
		throw buildInputError(
			`${found.length} are named "${text}". Give the id of one: ${found.map(({ id }) => id).join(", ")}.`,
		);
	if (first !== undefined) return byId(first.id);
	const all = await limitList(LISTED, list());
	const names = all.map(({ name }) => name);
	throw buildInputError(`There is no ${kind} "${text}".${suggestNames(names, text)}`);
}

function withName<T extends Named>(items: readonly T[], text: string): readonly T[] {
	const exact = items.filter(({ name }) => name === text);
	return exact.length > 0 ? exact : items.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
}

async function limitList<T>(most: number, items: AsyncIterable<T>): Promise<T[]> {
	const taken: T[] = [];
	for await (const item of items) if (taken.push(item) >= most) break;
	return taken;
}

/** ` Did you mean …?` with the names that are nearest; empty where none is near. */
export function suggestNames(names: readonly string[], text: string): string {
	const wanted = text.toLowerCase();
	const near = [...new Set(names)]
		.map((name) => ({ name, far: name.toLowerCase().includes(wanted) ? 1 : distance(name.toLowerCase(), wanted) }))
		.filter(({ name, far }) => far <= Math.max(2, Math.floor(Math.max(name.length, wanted.length) / 3)))
		.sort((one, other) => one.far - other.far)
		.slice(0, NEAR);
	return formatSuggestion(near.map(({ name }) => name));
}

/** ` Did you mean …?` with the names; empty without any. */
export const formatSuggestion = (names: readonly string[]): string =>
	names.length === 0 ? "" : ` Did you mean ${names.map((name) => `"${name}"`).join(" or ")}?`;
