/** Arguments of a tool as clients send them: some send numbers, lists and objects as text. */
import * as z from "zod";
import { buildInputError } from "../errors.ts";
import { suggestNames } from "../resolve.ts";

type Given = Readonly<Record<string, unknown>>;

/**
 * The arguments in the shape of the tool.
 *
 * @throws CliError with one sentence for each wrong argument
 */
export function readArguments<Shape extends z.ZodRawShape>(shape: Shape, given: Given): z.output<z.ZodObject<Shape>> {
	const names = Object.keys(shape);
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown !== undefined) {
		const hint = suggestNames(names, unknown);
		throw buildInputError(
			`There is no argument "${unknown}".${hint === "" ? ` There are: ${names.join(", ")}.` : hint}`,
		);
	}
	const values = names.flatMap((name) => {
		// Clients send null for an argument that they leave out.
		const value = given[name] ?? undefined;
		return value === undefined ? [] : [[name, readText(shape[name] as z.ZodType, value)] as const];
	});
	const read = z.object(shape).safeParse(Object.fromEntries(values));
	if (read.success) return read.data;
	throw buildInputError(read.error.issues.map(describeIssue).join("\n"));
}

/** The value, or the one that its text stands for: JSON, or the only item of a list. */
function readText(schema: z.ZodType, value: unknown): unknown {
	if (typeof value !== "string" || schema.safeParse(value).success) return value;
	const parsed = parseJson(value);
	if (parsed !== undefined && schema.safeParse(parsed).success) return parsed;
	if (schema.safeParse([value]).success) return [value];
	return parsed ?? value;
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function describeIssue({ path: [name, ...inner], message }: z.core.$ZodIssue): string {
	const place = inner.length === 0 ? "" : ` at ${inner.map(String).join(".")}`;
	const text = message.endsWith("received undefined") ? "Is missing" : message.replace(/\.$/, "");
	return `Argument "${String(name)}"${place}: ${text}.`;
}
