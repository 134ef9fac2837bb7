// The schemas of a type, of its config and of its outputs, as tables for reading and as JSON.
import { useId, useMemo } from 'preact/hooks';
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { type SchemaRow, schemaRows } from '../../../client/schema/rows.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { Block } from '../../components/block.tsx';
import { text } from './text.ts';

const maxLength = 200_000;

export function SchemaTab({ type }: { readonly type: ResourceDefinition }) {
  const { schema, outputs_schema: outputs, adopt_schema: adopt, updated_at: updatedAt } = type;
  return (
    <>
      {schema === null ? (
        <p class="empty">{text('types.no-schema')}</p>
      ) : (
        <Schema of="config" schema={schema as JsonObject} updatedAt={updatedAt} />
      )}
      {outputs != null && (
        <Schema of="outputs" schema={outputs as JsonObject} updatedAt={updatedAt} />
      )}
      {adopt != null && <Schema of="adopt" schema={adopt as JsonObject} updatedAt={updatedAt} />}
    </>
  );
}

interface SchemaProps {
  readonly of: 'config' | 'outputs' | 'adopt';
  readonly schema: JsonObject;
  readonly updatedAt: string;
}

function Schema({ of, schema, updatedAt }: SchemaProps) {
  const id = useId();
  const { rows, isCut, json } = useMemo(
    () => ({ ...schemaRows(schema), json: JSON.stringify(schema, null, 2) }),
    [updatedAt],
  );
  return (
    <>
      <section aria-labelledby={id}>
        <h2 id={id}>{text(`types.fields.${of}`)}</h2>
        {rows.length === 0 ? (
          <p class="empty">{text(`types.no-fields.${of}`)}</p>
        ) : (
          <table class="schema">
            <thead>
              <tr>
                <th scope="col">{text('types.field')}</th>
                <th scope="col">{text('types.value')}</th>
                <th scope="col">{text('types.description')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.path} row={row} />
              ))}
            </tbody>
          </table>
        )}
        {isCut && <p>{text('types.schema-cut')}</p>}
      </section>
      <section>
        <h2>{text(`types.json-schema.${of}`)}</h2>
        <Block
          value={json.length > maxLength ? `${json.slice(0, maxLength)}\n…` : json}
          label={text(`types.json-schema.${of}`)}
          copy={text(`types.copy-json.${of}`)}
        />
      </section>
    </>
  );
}

const longDescription = 400;

function Row({ row }: { readonly row: SchemaRow }) {
  const { path, type, isRequired, isSecret, isImmutable, description, constraints, initial } = row;
  return (
    <tr>
      <th scope="row">
        <code>{path}</code>
      </th>
      <td>
        {type}
        {isRequired && <div class="quiet">{text('types.required')}</div>}
        {isSecret && <div class="quiet">{text('types.sensitive')}</div>}
        {isImmutable && <div class="quiet">{text('types.immutable')}</div>}
      </td>
      <td>
        {description.length > longDescription ? (
          <details>
            <summary>{description.slice(0, longDescription)} …</summary>
            <p class="pre">{description}</p>
          </details>
        ) : (
          <p class="pre">{description}</p>
        )}
        {initial !== undefined && (
          <p>
            {text('types.default')} <code>{initial}</code>
          </p>
        )}
        {constraints.length > 0 && (
          <ul>
            {constraints.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
