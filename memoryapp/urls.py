"""The addresses of the pages."""

from django.urls import path

from memoryapp.views import chats, health, memory, messages, resources, rows, scopes, settings

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", chats.chat_new, name="chat-new"),
    path("chats/", chats.chat_list, name="chat-list"),
    path("chats/<uuid:chat_id>/", chats.chat_detail, name="chat-detail"),
    path("chats/<uuid:chat_id>/menu/", chats.chat_menu, name="chat-menu"),
    path("chats/<uuid:chat_id>/pin/", chats.chat_pin, name="chat-pin"),
    path("chats/<uuid:chat_id>/memory/", chats.chat_memory, name="chat-memory"),
    path("chats/<uuid:chat_id>/rename/", chats.chat_rename, name="chat-rename"),
    path("chats/<uuid:chat_id>/delete/", chats.chat_delete, name="chat-delete"),
    path("chats/<uuid:chat_id>/messages/", messages.message_create, name="message-create"),
    path("messages/<uuid:message_id>/", messages.message_detail, name="message-detail"),
    path("messages/<uuid:message_id>/stop/", messages.message_stop, name="message-stop"),
    path(
        "messages/<uuid:message_id>/regenerate/",
        messages.message_regenerate,
        name="message-regenerate",
    ),
    path("messages/<uuid:message_id>/mark/", messages.message_mark, name="message-mark"),
    path("messages/<uuid:message_id>/receipt/", messages.message_receipt, name="message-receipt"),
    path("memory/", memory.memory_facts, name="memory-facts"),
    path("memory/persona/", memory.memory_persona, name="memory-persona"),
    path("memory/tasks/", memory.memory_tasks, name="memory-tasks"),
    path("memory/health/", memory.memory_condition, name="memory-condition"),
    path("memory/inbox/", memory.memory_inbox, name="memory-inbox"),
    path("memory/log/", memory.memory_log, name="memory-log"),
    path("memory/log/<int:event_id>/undo/", rows.memory_undo, name="memory-undo"),
    path("memory/export.<str:kind>", scopes.memory_export, name="memory-export"),
    path("memory/forget/", scopes.memory_forget_scope, name="memory-forget-scope"),
    path("memory/<str:tables>/add/", rows.memory_add, name="memory-add"),
    path("memory/<str:tables>/<uuid:row_id>/", rows.memory_row, name="memory-row"),
    path("memory/<str:tables>/<uuid:row_id>/edit/", rows.memory_edit, name="memory-edit"),
    path("memory/<str:tables>/<uuid:row_id>/history/", rows.memory_history, name="memory-history"),
    path("memory/<str:tables>/<uuid:row_id>/close/", rows.memory_close, name="memory-close"),
    path("memory/<str:tables>/<uuid:row_id>/restore/", rows.memory_restore, name="memory-restore"),
    path("memory/<str:tables>/<uuid:row_id>/forget/", rows.memory_forget, name="memory-forget"),
    path("memory/<str:tables>/<uuid:row_id>/approve/", rows.memory_approve, name="memory-approve"),
    path(
        "memory/<str:tables>/<uuid:row_id>/turn-down/",
        rows.memory_turn_down,
        name="memory-turn-down",
    ),
    path("memory/<str:tables>/<uuid:row_id>/<str:flag>/", rows.memory_flag, name="memory-flag"),
    path("resources/", resources.resource_list, name="resource-list"),
    path("resources/<uuid:resource_id>/", resources.resource_detail, name="resource-detail"),
    path("resources/<uuid:resource_id>/delete/", resources.resource_delete, name="resource-delete"),
    path("settings/", settings.settings, name="settings"),
    path("settings/profile/", settings.settings_profile, name="settings-profile"),
    path("settings/memory/", settings.settings_memory, name="settings-memory"),
    path(
        "settings/sign-out-elsewhere/",
        settings.sign_out_elsewhere,
        name="settings-sign-out-elsewhere",
    ),
    path(
        "settings/delete-account/", settings.delete_account, name="settings-delete-account"
    ),
    path("settings/keys/add/", settings.key_add, name="key-add"),
    path("settings/keys/<uuid:key_id>/delete/", settings.key_delete, name="key-delete"),
]
