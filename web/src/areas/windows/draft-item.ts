/** An item of a change plan in its form. */
import type { CheckItem, QueryItem } from "@weft/contracts";

/** An item that is not complete yet. */
export type DraftItem = Partial<QueryItem & CheckItem> & { readonly name?: string | null };
