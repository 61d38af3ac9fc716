import type { Row } from "../../../core/rows/rows.ts";

/** One row. It becomes the next row of its page, so nothing may keep it. */
export interface RowView {
	/** Texts of the field with a number; see `Fields` of `row-reader.ts`. */
	texts(field: number): readonly string[];
	row(): Row;
}
