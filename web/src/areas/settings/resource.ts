/** The description of a list of small things, from which its page is drawn. */
import type { RoutePath } from "@weft/contracts";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { AnswerLike } from "../../ui/page.tsx";
import type { SectionFrameProps } from "../../ui/section-nav.tsx";
import type { Column } from "../../ui/table.tsx";

export interface Row {
	readonly id: number | string;
	readonly name: string;
	/** Without it the permission alone decides. */
	readonly can_edit?: boolean;
}

export interface FieldsProps<Form> {
	readonly form: Form;
	readonly readOnly: boolean;
	/** The service's message for a field, or for something within it. */
	getError(path: string): string | undefined;
	set(change: Partial<Form>): void;
}

export interface Resource<R extends Row, Form extends object> {
	/** "Value lists". */
	readonly title: string;
	/** "value list". */
	readonly noun: string;
	/** Where the plural is not formed with an s. */
	readonly nouns?: string;
	readonly icon: LucideIcon;
	/** As permissions call it. */
	readonly model: string;
	/** One permission for every change, instead of those of the model. */
	readonly manage?: string;
	/** False: the list has no search. */
	readonly isSearchable?: boolean;
	/** What it is for, where there is none yet. */
	readonly about: ReactNode;
	/** Areas whose answers a change makes old. */
	readonly stale: readonly string[];
	readonly route: RoutePath;
	readonly columns: readonly Column<R>[];
	/** Fields that are never stored in a draft. */
	readonly secrets?: readonly (keyof Form)[];
	/** Paths of the errors that the fields show, with all below them. */
	readonly paths: readonly string[];
	useList(query: ListQuery): AnswerLike<{ readonly results: readonly R[]; readonly count: number }>;
	/** @param row null: a new one */
	begin(row: R | null): Form;
	/** Reads the stored version. */
	read(row: R): Promise<R>;
	create(form: Form): Promise<unknown>;
	/** @param change the fields that differ */
	update(row: R, change: Partial<Form>): Promise<unknown>;
	remove(row: R): Promise<unknown>;
	/** Further verbs of a row, before the usual ones. */
	Verbs?(props: { readonly row: R }): ReactNode;
	Fields(props: FieldsProps<Form>): ReactNode;
	/** The frame of the page; absent: that of data and defaults. */
	Frame?(props: SectionFrameProps): ReactNode;
	/** Content above the list. */
	readonly before?: ReactNode;
	/** What its deletion loses. */
	loss(row: R): ReactNode;
}

interface ListQuery {
	readonly page: string;
	readonly page_size: string;
	readonly search?: string;
}
