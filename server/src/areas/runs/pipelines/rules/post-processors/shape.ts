/** Processors that turn objects of a class into flat rows. */
import type { PostProcessorConfig } from "@weft/contracts";
import { getDn, type ManagedObject, type Row, readManagedObject, readValuesAt } from "../../../../../core/rows/rows.ts";
import { buildTooLongRowError, ROW_BYTES } from "./bounds.ts";

/** Each field's value, null where there is none, a list where there are several. */
export function createFieldExtract({ fields }: PostProcessorConfig<"field-extract">): (row: Row) => Row[] {
	return (row) => [
		Object.fromEntries(
			fields.map(({ path, as }) => {
				const values = readValuesAt(row, path);
				return [as, values.length > 1 ? values : (values[0] ?? null)];
			}),
		),
	];
}

/** `class` and the attributes side by side. A flat row stays as it is. */
export function createFlattener({ separator, children }: PostProcessorConfig<"flatten">): (row: Row) => Row[] {
	return (row) => {
		const object = readManagedObject(row);
		if (!object) return [row];
		if (children === "rows") return createTreeRows(object, getDn(row));
		const own = flattenRow(object);
		return [children === "drop" ? own : { ...own, ...createChildColumns(object, separator) }];
	};
}

const flattenRow = ({ className, attributes }: ManagedObject): Row => ({ class: className, ...attributes });

/**
 * The object's row, then those of everything below it. A nested object's DN is its parent's and its
 * own `rn`.
 */
function createTreeRows(object: ManagedObject, dn: string | undefined): Row[] {
	const rows: Row[] = [];
	const stack: { object: ManagedObject; dn: string | undefined }[] = [{ object, dn }];
	let dnLength = 0;
	for (let top = stack.pop(); top; top = stack.pop()) {
		const above = top.dn;
		dnLength += above?.length ?? 0;
		if (dnLength > ROW_BYTES) throw buildTooLongRowError();
		rows.push({ ...flattenRow(top.object), ...(above === undefined ? {} : { dn: above }) });
		for (const child of top.object.children.toReversed()) {
			const nested = readManagedObject(child);
			if (!nested) continue;
			const { rn } = nested.attributes;
			const built = above !== undefined && typeof rn === "string" && rn !== "" ? `${above}/${rn}` : undefined;
			stack.push({ object: nested, dn: getDn(child) ?? built });
		}
	}
	return rows;
}

/** `Class.attribute` of each child; from the second of a class on, `Class.2.attribute`. */
function createChildColumns({ children }: ManagedObject, separator: string): Row {
	const seen = new Map<string, number>();
	const columns: [string, unknown][] = [];
	for (const child of children) {
		const nested = readManagedObject(child);
		if (!nested) continue;
		const count = (seen.get(nested.className) ?? 0) + 1;
		seen.set(nested.className, count);
		const prefix = count === 1 ? [nested.className] : [nested.className, String(count)];
		for (const [name, value] of Object.entries(nested.attributes))
			columns.push([[...prefix, name].join(separator), value]);
	}
	return Object.fromEntries(columns);
}
