/**
 * The store's schema as the query builder sees it. Each area declares its tables in `tables.ts`,
 * which adds them to `Schema`. An area may read another's tables in joins, but never writes them.
 */
import type { ColumnType } from "kysely";

/** Given as Date or ISO text, read as Date. */
export type Time = ColumnType<Date, Date | string, Date | string>;
/** JSON that is written as text and read parsed. */
export type Json<T> = ColumnType<T, string, string>;
/** The same with a default. */
export type JsonDefault<T> = ColumnType<T, string | undefined, string>;

// biome-ignore lint/suspicious/noEmptyInterface: the areas add their tables to it.
export interface Schema {}
