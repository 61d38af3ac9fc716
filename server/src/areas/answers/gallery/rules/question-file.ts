/** The file of a question: its fields, and the canvas that its short list of classes means. */
import { defineTrimmedText, FILTER_OPERATORS, GALLERY_LIMITS, type Question, variableSchema } from "@weft/contracts";
import { parse } from "yaml";
import * as z from "zod";

const text = defineTrimmedText(500);
const filter = z.strictObject({
	property: text,
	operator: z.enum(FILTER_OPERATORS).default("eq"),
	value: z.union([z.string(), z.array(z.string())]),
});
const classEntry = z.strictObject({
	class: text,
	/** A class of the list that contains this one. */
	under: text.optional(),
	/** All of them must be true. */
	filters: z.array(filter).default([]),
	/** More data of the class's node, such as `scope`. */
	data: z.record(z.string(), z.unknown()).default({}),
});
type ClassEntry = z.output<typeof classEntry>;

const questionFile = z.strictObject({
	question: text,
	description: text,
	categories: z.array(text).min(1),
	keywords: z.array(text).default([]),
	/** The first one is the base of the result. */
	classes: z.array(classEntry).min(1),
	/** Whether the objects of all classes are rows. By default only those of the first class are. */
	all_classes: z.boolean().default(false),
	variables: z.array(variableSchema).default([]),
	post_processors: z.array(z.strictObject({ type: text, config: z.record(z.string(), z.unknown()) })).default([]),
	sources: z.array(text).min(1),
});

/** Pixels between nodes of a canvas. */
const COLUMN = 260;
const LINE = 140;

interface Canvas {
	readonly nodes: Record<string, unknown>[];
	readonly edges: Record<string, unknown>[];
}

/**
 * @param key the name of the file without its ending
 * @throws Error if a field is missing, unknown or invalid
 */
export function parseQuestionFile(key: string, content: string): Question {
	if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(key) || key.length > GALLERY_LIMITS.key) {
		throw new Error(`Its name must be lower case words with hyphens, of at most ${GALLERY_LIMITS.key} characters.`);
	}
	const { classes, all_classes: hasAll, ...fields } = questionFile.parse(parse(content));
	return { key, ...fields, classes: classes.map((entry) => entry.class), flow_data: buildCanvas(classes, hasAll) };
}

/**
 * Draws each class with its filters on a line, and the output after the line of the first class, or
 * after all lines.
 */
function buildCanvas(classes: readonly ClassEntry[], hasAll: boolean): Canvas {
	const canvas: Canvas = { nodes: [], edges: [] };
	/** The last node of each class's line. */
	const ends = new Map<string, string>();
	for (const [line, entry] of classes.entries()) {
		if (ends.has(entry.class)) throw new Error(`The class ${entry.class} is listed twice.`);
		const above = entry.under === undefined ? undefined : ends.get(entry.under);
		if (entry.under !== undefined && above === undefined) {
			throw new Error(`The class ${entry.under} must be listed before ${entry.class}.`);
		}
		ends.set(entry.class, addLine(canvas, entry, line, above));
	}
	const base = ends.get(classes[0]?.class ?? "") ?? "";
	canvas.nodes.push({
		id: "output",
		type: "outputNode",
		position: { x: COLUMN * canvas.nodes.length, y: 0 },
		data: {},
	});
	for (const end of hasAll ? ends.values() : [base]) addEdge(canvas, end, "output");
	return canvas;
}

/** Adds a class and its filters. Returns the id of the last node. */
function addLine(canvas: Canvas, entry: ClassEntry, line: number, above: string | undefined): string {
	const { class: className, data, filters } = entry;
	const chain = [
		{ id: className, type: "classNode", data: { className, ...data } },
		...filters.map((one, i) => ({
			id: `${className}-filter-${i + 1}`,
			type: "filterNode",
			data: { filterType: "property", ...one },
		})),
	];
	for (const [column, node] of chain.entries()) {
		canvas.nodes.push({ ...node, position: { x: COLUMN * column, y: LINE * line } });
		const before = column === 0 ? above : chain[column - 1]?.id;
		if (before !== undefined) addEdge(canvas, before, node.id);
	}
	return chain.at(-1)?.id ?? className;
}

const addEdge = ({ edges }: Canvas, source: string, target: string): void => {
	edges.push({ id: `${source}-${target}`, source, target });
};
