/** The tables of this area as the query builder sees them. */
import type { ModelSourceName, TableTemplate } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Json, Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		model_records: ModelRecordsTable;
		model_images: ModelImagesTable;
		model_versions: ModelVersionsTable;
		model_favorites: ModelFavoritesTable;
		model_table_templates: ModelTableTemplatesTable;
		model_table_preferences: ModelTablePreferencesTable;
	}
}

export interface ModelRecordsTable {
	run_id: string;
	seq: Generated<number>;
	class_count: number;
	payload: Buffer;
}

export interface ModelImagesTable {
	run_id: string;
	seq: number;
	payload: Buffer;
}

export interface ModelVersionsTable {
	id: string;
	run_id: string;
	version_key: string;
	label: string;
	controller_version: string;
	source: ModelSourceName;
	class_count: number;
	property_count: number;
	rel_count: number;
	imported_at: Time;
	imported_by_username: string;
	is_active: boolean;
	is_available: boolean;
	image_format: number;
	image_bytes: number;
}

export interface ModelFavoritesTable {
	id: string;
	user_id: number;
	class_name: string;
	created_at: Time;
}

export interface ModelTableTemplatesTable {
	id: string;
	owner_id: number;
	class_name: string;
	name: string;
	description: string;
	columns: Json<TableTemplate["columns"]>;
	filters: Json<Record<string, unknown>>;
	sorting: Json<TableTemplate["sorting"]>;
	is_shared: boolean;
	is_default: boolean;
	created_at: Time;
	updated_at: Time;
}

export interface ModelTablePreferencesTable {
	id: string;
	user_id: number;
	class_name: string;
	visible_columns: Json<string[]>;
	column_order: Json<string[]>;
	options: Json<Record<string, unknown>>;
	created_at: Time;
	updated_at: Time;
}
