/** Rows as CSV (RFC 4180): one column for each property that occurs, in the order in which they first do. */
import { csvLine } from "../../platform/csv.ts";
import { managedObject, type Row } from "./domain/rows.ts";

const CLASS = "class";
const CHILDREN = "children";

export function createCsv() {
	const columns = new Set<string>();
	const classes = new Set<string>();

	return {
		/** Every row must have been learnt before the header is written. */
		learn(rows: readonly Row[]): void {
			for (const row of rows) {
				const object = managedObject(row);
				if (object) classes.add(object.className);
				for (const name of Object.keys(object?.attributes ?? row)) columns.add(name);
				if (object && object.children.length > 0) columns.add(CHILDREN);
			}
			// The name that says which object it is comes first.
			if (columns.delete("dn")) {
				const others = [...columns];
				columns.clear();
				for (const name of ["dn", ...others]) columns.add(name);
			}
		},

		header: (): string => csvLine(withClass() ? [CLASS, ...columns] : [...columns]),

		lines(rows: readonly Row[]): string {
			return rows
				.map((row) => {
					const object = managedObject(row);
					const values: Record<string, unknown> = object?.attributes ?? row;
					const cells = [...columns].map((name) => {
						if (object && name === CHILDREN && !Object.hasOwn(values, name)) {
							return object.children.length > 0 ? object.children : "";
						}
						return Object.hasOwn(values, name) ? values[name] : "";
					});
					return csvLine(withClass() ? [object?.className ?? "", ...cells] : cells);
				})
				.join("");
		},
	};

	/** Of one class alone the name says nothing. */
	function withClass(): boolean {
		return classes.size > 1;
	}
}
