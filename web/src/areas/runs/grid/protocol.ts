/** Messages between the grid and its worker. */
import type { Groups } from "./group-rows.ts";

/** The first rows, which are shown while the rest is read. */
export interface FirstRows {
	readonly rows: number;
	readonly columns: readonly ColumnInfo[];
}

export interface ColumnInfo {
	readonly key: string;
	readonly numeric: boolean;
	/** Characters of its longest value, up to a limit: for the first width. */
	readonly length: number;
	readonly distinct: number;
}

export interface View {
	readonly filter: string;
	readonly sort: { readonly column: string; readonly descending: boolean } | null;
	/** Key of the column whose values fold the rows; null: they are not folded. */
	readonly group: string | null;
}

export type Question =
	| {
			readonly kind: "load";
			readonly url: string;
			readonly headers: Readonly<Record<string, string>>;
			/** Member of the document that holds the rows; without it each line is a row. */
			readonly member?: string;
	  }
	| { readonly kind: "take"; readonly rows: readonly unknown[]; readonly first: readonly string[] }
	| { readonly kind: "view"; readonly view: View }
	/** Cells of rows of the view, by the places of the rows and the columns' keys. */
	| { readonly kind: "cells"; readonly from: number; readonly to: number; readonly keys: readonly string[] }
	| { readonly kind: "row"; readonly at: number }
	/** Of the view, or of all rows whatever the filter. */
	| { readonly kind: "distinct"; readonly key: string; readonly of: "view" | "all" }
	| {
			readonly kind: "write";
			readonly format: "csv" | "tsv" | "json";
			readonly keys: readonly string[];
			readonly at: readonly number[] | null;
	  }
	| { readonly kind: "workbook"; readonly keys: readonly string[]; readonly at: readonly number[] | null };

export type Answer =
	/** Rows so far. The first of them can be viewed while the rest is read: `first`, once. */
	| {
			readonly kind: "progress";
			readonly rows: number;
			readonly first?: FirstRows;
	  }
	| {
			readonly kind: "loaded";
			readonly rows: number;
			readonly columns: readonly ColumnInfo[];
			/** What a document holds beside its rows. */
			readonly about?: unknown;
	  }
	| {
			readonly kind: "view";
			readonly rows: number;
			/** Keys of the columns that have a value in these rows. */
			readonly filled: readonly string[];
			/** Null where the rows are not folded. */
			readonly groups: Groups | null;
			readonly ms: number;
	  }
	| { readonly kind: "cells"; readonly cells: readonly (readonly string[])[] }
	| { readonly kind: "row"; readonly line: string | null }
	| { readonly kind: "distinct"; readonly values: readonly { readonly value: string | null; readonly count: number }[] }
	| { readonly kind: "written"; readonly text: string; readonly rows: number }
	| { readonly kind: "workbook"; readonly bytes: Uint8Array<ArrayBuffer> }
	| {
			readonly kind: "failed";
			/** A refusal, by the service or by a limit; no whole answer; an error of the program. */
			readonly reason: "refused" | "unreachable" | "program";
			readonly message: string;
			/** Of the service's answer, where there was one. */
			readonly status?: number;
			/** Of an error of the program. */
			readonly stack?: string | undefined;
	  };

export interface Numbered<T> {
	readonly id: number;
	readonly message: T;
}
