/** Processors that turn objects of a class into flat rows. */
import type { PostProcessorConfig } from "@weft/contracts";
import { getDn, type ManagedObject, managedObject, type Row, valuesAt } from "../../../../../core/rows/rows.ts";
import { ROW_BYTES, tooLongRow } from "./bounds.ts";

/** Each field's value, null where there is none, a list where there are several. */
export function fieldExtract({ fields }: PostProcessorConfig<"field-extract">): (row: Row) => Row[] {
	return (row) => [
		Object.fromEntries(
			fields.map(({ path, as }) => {
				const values = valuesAt(row, path);
				return [as, values.length > 1 ? values : (values[0] ?? null)];
			}),
		),
	];
}

/** `class` and the attributes side by side. A flat row stays as it is. */
export function createFlattener({ separator, children }: PostProcessorConfig<"flatten">): (row: Row) => Row[] {
	return (row) => {
		const object = managedObject(row);
		if (!object) return [row];
		if (children === "rows") return treeRows(object, getDn(row));
		const own = flatRow(object);
		return [children === "drop" ? own : { ...own, ...childColumns(object, separator) }];
	};
}

const flatRow = ({ className, attributes }: ManagedObject): Row => ({ class: className, ...attributes });

/**
 * The object's row, then those of everything below it. A nested object's DN is its parent's and its
 * own `rn`.
 */
function treeRows(object: ManagedObject, dn: string | undefined): Row[] {
	const rows: Row[] = [];
	const stack: { object: ManagedObject; dn: string | undefined }[] = [{ object, dn }];
	let dnLength = 0;
	for (let top = stack.pop(); top; top = stack.pop()) {
		const above = top.dn;
		dnLength += above?.length ?? 0;
		if (dnLength > ROW_BYTES) throw tooLongRow();
		rows.push({ ...flatRow(top.object), ...(above === undefined ? {} : { dn: above }) });
		for (const child of top.object.children.toReversed()) {
			const nested = managedObject(child);
			if (!nested) continue;
			const { rn } = nested.attributes;
			const built = above !== undefined && typeof rn === "string" && rn !== "" ? `${above}/${rn}` : undefined;
			stack.push({ object: nested, dn: getDn(child) ?? built });
		}
	}
	return rows;
}

/** `Class.attribute` of each child; from the second of a class on, `Class.2.attribute`. */
function childColumns({ children }: ManagedObject, separator: string): Row {
	const seen = new Map<string, number>();
	const columns: [string, unknown][] = [];
	for (const child of children) {
		const nested = managedObject(child);
		if (!nested) continue;
		const count = (seen.get(nested.className) ?? 0) + 1;
		seen.set(nested.className, count);
		const prefix = count === 1 ? [nested.className] : [nested.className, String(count)];
		for (const [name, value] of Object.entries(nested.attributes))
			columns.push([[...prefix, name].join(separator), value]);
	}
	return Object.fromEntries(columns);
}
